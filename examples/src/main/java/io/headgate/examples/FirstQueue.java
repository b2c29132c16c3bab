package io.headgate.examples;

import io.headgate.queues.Codec;
import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.worker.Worker;
import io.headgate.redis.queues.RedisQueueEngine;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** The first queue: enqueues a job for now and one for later, and handles both. */
public final class FirstQueue {

    private FirstQueue() {}

    /** Ends when both jobs are done. */
    public static void main(String[] args) throws InterruptedException {
        String redis = args.length > 0 ? args[0] : "redis://localhost:6379";
        CountDownLatch done = new CountDownLatch(2);
        try (QueueEngine queues = RedisQueueEngine.connect(redis)) {
            JobQueue<String> mails = queues.queue("mails", Codec.text());
            mails.enqueue("welcome, alice");
            mails.enqueue("how do you like it?", Duration.ofSeconds(1));
            try (Worker worker = Worker.of(mails).start(job -> {
                System.out.println(job.payload());
                done.countDown();
            })) {
                done.await();
            }
        }
    }
}
