package io.headgate.examples;

import io.headgate.queues.Codec;
import io.headgate.queues.DeadLetter;
import io.headgate.queues.Job;
import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.worker.FailurePolicy;
import io.headgate.queues.worker.Handler;
import io.headgate.queues.worker.RetryPolicy;
import io.headgate.queues.worker.Worker;
import io.headgate.queues.worker.WorkerListener;
import io.headgate.redis.queues.RedisQueueEngine;
import java.net.ConnectException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** Handles failing jobs: one is retried, one is parked until its service is available, and one becomes a dead letter and is redriven. */
public final class FailingJobs {

    private FailingJobs() {}

    /** Ends when one job was retried, one was parked, and one was a dead letter and redriven. */
    public static void main(String[] args) throws InterruptedException {
        String redis = args.length > 0 ? args[0] : "redis://localhost:6379";
        try (QueueEngine queues = RedisQueueEngine.connect(redis)) {
            JobQueue<String> mails = queues.queue("failing-mails", Codec.text());
            mails.enqueue("a mail that the server refuses for now");
            mails.enqueue("a mail that meets no server");
            mails.enqueue("no mail at all");

            Ends ends = new Ends(3);
            try (Worker worker = Worker.of(mails)
                    .retries(new RetryPolicy(5, Duration.ofMillis(50), Duration.ofSeconds(1), 0.2))
                    .onFailure((job, failure) -> {
                        if (failure instanceof ConnectException) {
                            return FailurePolicy.Action.PARK;
                        }
                        if (failure instanceof IllegalArgumentException) {
                            return FailurePolicy.Action.DEAD_LETTER;
                        }
                        return FailurePolicy.Action.RETRY;
                    })
                    .listener(ends)
                    .start(new Sending())) {
                ends.await();
            }

            for (DeadLetter<String> letter :
                    mails.deadLetters().list(Cursor.START, 100).items()) {
                // Each cause is the failure of one attempt: class and message, then the top frames of its stack trace.
                String failure =
                        letter.job().causes().get(0).lines().findFirst().orElseThrow();
                System.out.println("given up: " + letter.job().payload() + ": " + failure);
            }

            Ends afterwards = new Ends(1);
            mails.deadLetters().redriveOldest(100, Duration.ofMillis(100));
            try (Worker worker = Worker.of(mails).listener(afterwards).start(job -> {})) {
                afterwards.await();
            }
            System.out.println("dead letters: " + mails.counts().dead());
        }
    }

    /** Fails like mail servers: for two of the mails in the first delivery only, and for the third always. */
    private static final class Sending implements Handler<String> {

        @Override
        public void handle(Job<String> job) throws Exception {
            boolean first = job.delivery() == 1;
            switch (job.payload()) {
                case "a mail that the server refuses for now" -> {
                    if (first) {
                        throw new IllegalStateException("try again later");
                    }
                }
                case "a mail that meets no server" -> {
                    if (first) {
                        throw new ConnectException("connection refused");
                    }
                }
                default -> throw new IllegalArgumentException("no address");
            }
        }
    }

    /** Waits until the given number of jobs are done or dead, and prints those that are done. */
    private static final class Ends implements WorkerListener {

        private final CountDownLatch open;

        Ends(int jobs) {
            this.open = new CountDownLatch(jobs);
        }

        void await() throws InterruptedException {
            open.await();
        }

        @Override
        public void onAcked(Job<?> job) {
            System.out.println("done in attempt " + job.attempt() + ": " + job.payload());
            open.countDown();
        }

        @Override
        public void onDeadLettered(Job<?> job, Throwable failure) {
            open.countDown();
        }
    }
}
