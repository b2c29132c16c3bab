package io.headgate.examples;

import io.headgate.queues.Codec;
import io.headgate.queues.JobQueue;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.worker.RetryPolicy;
import io.headgate.queues.worker.Worker;
import io.headgate.redis.queues.RedisQueueEngine;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** Sends mails now and later, retries a failure, and reads the dead letters. */
public final class MailQueue {

    private MailQueue() {}

    /** Ends when three mails were attempted, one of them twice. */
    public static void main(String[] args) throws InterruptedException {
        String redis = args.length > 0 ? args[0] : "redis://localhost:6379";

        CountDownLatch attempts = new CountDownLatch(4);
        try (QueueEngine queues = RedisQueueEngine.connect(redis)) {
            JobQueue<String> mails = queues.queue("mails", Codec.text());
            mails.enqueue("welcome, alice");
            mails.enqueue("how do you like it?", Duration.ofSeconds(1)); // due in a second
            mails.enqueue(NewJob.of("bill 4711 to nobody").once("bill-4711")); // a duplicate is rejected

            // 2 attempts; the wait doubles from 100 ms up to 1 minute, shortened at random by up to 20 %
            RetryPolicy retries = new RetryPolicy(2, Duration.ofMillis(100), Duration.ofMinutes(1), 0.2);
            try (Worker worker = Worker.of(mails)
                    .concurrency(20)
                    .retries(retries)
                    .start(job -> {
                        attempts.countDown();
                        if (job.payload().endsWith("nobody")) {
                            throw new IllegalArgumentException("no such address");
                        }
                        System.out.println(job.payload());
                    })) {
                attempts.await();
            } // close() waits for the running handlers

            mails.deadLetters()
                    .list(100)
                    .items()
                    .forEach(letter -> System.out.println("dead: "
                            + letter.job().payload() + " " + letter.job().causes()));
        }
    }
}
