package io.headgate.server.demo;

import io.headgate.queues.Codec;
import io.headgate.queues.Job;
import io.headgate.queues.JobQueue;
import io.headgate.queues.KeepDone;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.worker.RetryPolicy;
import io.headgate.queues.worker.Worker;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.queues.RedisQueueEngine;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * The queue of the demo and its worker. The jobs are mails: some are delayed, some fail once, and some fail until the traffic ends and
 * become dead letters.
 */
final class DemoJobs implements AutoCloseable {

    static final String QUEUE = "mails";

    /** The number of jobs enqueued per second. */
    static final int PER_SECOND = 20;

    /** The number of done jobs that are kept, so that users can inspect them. */
    private static final int KEPT = 1000;

    private static final int ATTEMPTS = 3;
    private static final Duration FIRST_BACKOFF = Duration.ofMillis(300);
    private static final Duration MAX_BACKOFF = Duration.ofSeconds(1);
    private static final Duration HANDLING = Duration.ofMillis(20);
    private static final Duration DRAIN = Duration.ofSeconds(1);

    /** The warm-up time of the JVM, during which times are not counted. */
    private static final Duration WARM_UP = Duration.ofSeconds(2);

    private final RedisQueueEngine queues;
    private final JobQueue<String> mails;
    private final DemoJobCounts counts = new DemoJobCounts();
    private final Worker worker;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private volatile Instant measuredFrom = Instant.MAX;
    private volatile boolean broken = true;
    private int jobNumber;

    private DemoJobs(RedisQueueEngine queues) {
        this.queues = queues;
        this.mails = queues.queue(QueueSettings.of(QUEUE).withKeepDone(KeepDone.newest(KEPT)), Codec.text());
        this.worker = Worker.of(mails)
                .concurrency(10)
                .retries(new RetryPolicy(ATTEMPTS, FIRST_BACKOFF, MAX_BACKOFF, 0)) // without jitter
                .listener(counts)
                .start(this::handle);
    }

    /** Creates an empty queue, and a worker that polls it. */
    static DemoJobs on(String redis, String keyPrefix, Duration timeout) {
        return new DemoJobs(RedisQueueEngine.connect(
                RedisSettings.of(redis).withKeyPrefix(keyPrefix).withTimeout(timeout)));
    }

    DemoJobCounts counts() {
        return counts;
    }

    /** Starts to enqueue jobs. */
    void begin() {
        measuredFrom = Instant.now().plus(WARM_UP);
        timer.scheduleAtFixedRate(this::enqueue, 0, 1000 / PER_SECOND, TimeUnit.MILLISECONDS);
    }

    /** Stops enqueueing, and removes the cause of the dead letters. The worker continues. */
    void end() {
        timer.shutdown();
        broken = false;
    }

    private void enqueue() {
        int i = jobNumber++;
        String to = i % 20 == 8 ? "nobody@broken.example" : i % 10 == 3 ? "busy@flaky.example" : "alice@whole.example";
        NewJob<String> mail = NewJob.of("mail " + i + " to " + to);
        Duration delay = Duration.ofSeconds(i % 5 == 0 ? 1 : i % 5 == 2 ? 2 : 0);
        mails.async().enqueue(delay.isZero() ? mail : mail.after(delay)).thenAccept(enqueued -> counts.enqueued());
    }

    private void handle(Job<String> job) throws InterruptedException {
        Instant now = Instant.now();
        if (now.isAfter(measuredFrom)) {
            counts.recordLateness(Duration.between(job.dueAt(), now));
        }
        Thread.sleep(HANDLING.toMillis());
        if (job.payload().endsWith("broken.example") && broken) {
            throw new IllegalStateException("broken.example takes no mail");
        }
        if (job.payload().endsWith("flaky.example") && job.attempt() == 1) {
            throw new IllegalStateException("flaky.example is busy");
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
        worker.close(DRAIN);
        queues.close();
    }
}
