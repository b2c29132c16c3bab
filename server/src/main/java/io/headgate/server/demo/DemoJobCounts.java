package io.headgate.server.demo;

import io.headgate.queues.Job;
import io.headgate.queues.worker.WorkerListener;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

/** Counts the outcomes of the demo's jobs as a listener of its worker, and formats them. Safe for use by several threads. */
final class DemoJobCounts implements WorkerListener {

    private final LongAdder enqueued = new LongAdder();
    private final LongAdder done = new LongAdder();
    private final LongAdder retried = new LongAdder();
    private final LongAdder dead = new LongAdder();
    private final Latencies late = new Latencies();

    /** True, so that the worker does not log the failures, which the demo causes on purpose and counts. */
    @Override
    public boolean handlesFailures() {
        return true;
    }

    void enqueued() {
        enqueued.increment();
    }

    /** Records the lateness of a job: the time from its due time to the start of its handler. */
    void recordLateness(Duration time) {
        late.add(time);
    }

    @Override
    public void onAcked(Job<?> job) {
        done.increment();
    }

    @Override
    public void onRetried(Job<?> job, Throwable failure, Duration delay) {
        retried.increment();
    }

    @Override
    public void onDeadLettered(Job<?> job, Throwable failure) {
        dead.increment();
    }

    /** The counts as a table. */
    List<String> lines() {
        return List.of(
                row("queue", "enqueued", "done", "retried", "dead letters", "waiting"),
                row(DemoJobs.QUEUE, enqueued.sum(), done.sum(), retried.sum(), dead.sum(), waiting()),
                "  " + lateness());
    }

    /** The counts in one line. */
    String line() {
        return "jobs enqueued %d, done %d, retried %d, dead letters %d, waiting %d"
                .formatted(enqueued.sum(), done.sum(), retried.sum(), dead.sum(), waiting());
    }

    /** The counts and the lateness in one line, for the end of the demo. */
    String summary() {
        return line() + "; " + lateness();
    }

    /** The number of jobs that are neither done nor dead letters, including claimed jobs. */
    private long waiting() {
        return Math.max(0, enqueued.sum() - done.sum() - dead.sum());
    }

    private String lateness() {
        return "from the due time of a job to the start of its handler: " + millis(50) + " at the median, " + millis(99)
                + " at the 99th percentile";
    }

    private String millis(double percent) {
        return String.format(Locale.ROOT, "%.1f ms", late.percentile(percent).toNanos() / 1e6);
    }

    private static String row(Object... cells) {
        return String.format(Locale.ROOT, "  %-18s %8s %8s %8s %12s %8s", cells);
    }
}
