package io.headgate.examples;

import io.headgate.queues.Codec;
import io.headgate.queues.DeadLetter;
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
            mails.enqueue(NewJob.of("how do you like it?")
                    .after(Duration.ofSeconds(1))
                    .once("survey-alice"));
            NewJob<String> bill = NewJob.of("bill 4711 to nobody").once("bill-4711");
            System.out.println(mails.enqueue(bill).outcome()); // ADDED
            System.out.println(mails.enqueue(bill).outcome()); // SAME: the job of this key still waits

            // 2 attempts in all; the wait between them starts at 100 ms and doubles up to 1 minute
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

            for (DeadLetter<String> letter : mails.deadLetters().list(100).items()) {
                System.out.println("dead: " + letter.job().payload());
                letter.job().causes().forEach(System.out::println);
            }
        }
    }
}
