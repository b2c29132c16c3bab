package io.headgate.examples;

import io.headgate.queues.Codec;
import io.headgate.queues.Queue;
import io.headgate.queues.Queues;
import io.headgate.queues.Worker;
import io.headgate.redis.queues.RedisQueues;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** The first queue: enqueue a job for now and one for later, and have both done. */
public final class FirstQueue {

    private FirstQueue() {}

    /** Ends when both jobs are done. */
    public static void main(String[] args) throws InterruptedException {
        String redis = args.length > 0 ? args[0] : "redis://localhost:6379";
        CountDownLatch done = new CountDownLatch(2);
        try (Queues queues = RedisQueues.connect(redis)) {
            Queue<String> mails = queues.queue("mails", Codec.text());
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
