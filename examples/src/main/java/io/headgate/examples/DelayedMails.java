package io.headgate.examples;

import io.headgate.queues.Codec;
import io.headgate.queues.Job;
import io.headgate.queues.JobQueue;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.worker.RetryPolicy;
import io.headgate.queues.worker.Worker;
import io.headgate.queues.worker.WorkerListener;
import io.headgate.redis.queues.RedisQueueEngine;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** Sends mails now and later, retries failed ones, and lists the dead letters. */
public final class DelayedMails {

    private DelayedMails() {}

    /** Ends when two mails are sent and one is a dead letter. */
    public static void main(String[] args) throws InterruptedException {
        String redis = args.length > 0 ? args[0] : "redis://localhost:6379";
        try (QueueEngine queues = RedisQueueEngine.connect(redis)) {
            JobQueue<String> mails = queues.queue("delayed-mails", Codec.text());
            mails.enqueue("to alice: welcome");
            mails.enqueue("to alice: how do you like it?", Duration.ofSeconds(1));
            NewJob<String> bill = NewJob.of("to nobody: bill 4711").once("bill-4711");
            System.out.println(mails.enqueue(bill).outcome());
            System.out.println(mails.enqueue(bill).outcome());

            CountDownLatch settled = new CountDownLatch(3);
            try (Worker worker = Worker.of(mails)
                    .concurrency(20)
                    .retries(new RetryPolicy(3, Duration.ofMillis(100), Duration.ofMinutes(1), 0.2))
                    .listener(new WorkerListener() {
                        @Override
                        public void onAcked(Job<?> job) {
                            settled.countDown();
                        }

                        @Override
                        public void onDeadLettered(Job<?> job, Throwable failure) {
                            settled.countDown();
                        }
                    })
                    .start(job -> send(job.payload()))) {
                settled.await();
            }
            mails.deadLetters()
                    .list(100)
                    .items()
                    .forEach(letter ->
                            System.out.println("dead after " + letter.job().attempt() + " attempts: "
                                    + letter.job().payload()));
        }
    }

    private static void send(String mail) {
        if (mail.startsWith("to nobody")) {
            throw new IllegalStateException("no such address");
        }
        System.out.println("sent " + mail);
    }
}
