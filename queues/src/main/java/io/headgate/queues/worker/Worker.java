package io.headgate.queues.worker;

import io.headgate.queues.Job;
import io.headgate.queues.JobQueue;
import io.headgate.queues.internal.JobBounds;
import io.headgate.queues.internal.worker.HandlerRunner;
import io.headgate.queues.streams.ConsumerGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Has the jobs of a queue handled, or the entries of a stream that a group is to see: claims them as they become due, extends
 * their leases while a handler runs, and says what came of them.
 *
 * <pre>{@code
 * try (Worker worker = Worker.of(mails).concurrency(20).start(job -> send(job.payload()))) {
 *     ...
 * }
 * }</pre>
 *
 * <p>A handler that returns has done its job; one that throws has failed, and the job is tried again as the {@link
 * RetryPolicy} says, unless the {@link FailurePolicy} says otherwise; after the last attempt it is a dead letter. A job is
 * handled at least once, and more than once only where a worker died, lost its lease, or could not reach the queue to say
 * that the job was done.
 *
 * <p>The worker logs failures of the handler with their stack traces, by the {@link System.Logger} of this class' name: the first
 * and the last attempt of a job at {@code WARNING}, at most ten in a minute, others at {@code DEBUG}. What a failure policy
 * discards or parks is logged at {@code DEBUG}, and nothing where a {@linkplain WorkerListener#handlesFailures listener handles
 * failures}. Class, message and top frames of each failure are kept with the job, as one of its {@link Job#causes() causes}.
 *
 * <p>A process does not end by itself while it has a worker that was not closed. Safe for use by several threads.
 */
public final class Worker implements AutoCloseable {

    private final HandlerRunner<?> runner;
    private final Duration drain;

    private Worker(HandlerRunner<?> runner, Duration drain) {
        this.runner = runner;
        this.drain = drain;
    }

    /** Returns a builder of a worker for a queue: {@link #of(JobSource)} with {@link JobQueue#source()}. */
    public static <T> Builder<T> of(JobQueue<T> queue) {
        return of(queue.source());
    }

    /** Returns a builder of a worker for a consumer group: {@link #of(JobSource)} with {@link ConsumerGroup#source()}. */
    public static <T> Builder<T> of(ConsumerGroup<T> group) {
        return of(group.source());
    }

    /** Returns a builder of a worker for a source, such as a queue that the application decorates. */
    public static <T> Builder<T> of(JobSource<T> source) {
        return new Builder<>(Objects.requireNonNull(source, "source"));
    }

    /** {@link #close(Duration)} with the time that the worker was told for it. */
    @Override
    public void close() {
        close(drain);
    }

    /**
     * Claims nothing more, hands back the jobs that were not begun, and waits for those that were. When the time is up, those
     * handlers are interrupted, and their jobs handed back too, which counts as no attempt. To close it again does nothing.
     *
     * @param atMost how long to wait for handlers; 0 or more
     */
    public void close(Duration atMost) {
        runner.close(atMost);
    }

    /**
     * Collects what a worker is made of. Not safe for use by several threads.
     *
     * @param <T> what a payload is
     */
    public static final class Builder<T> {

        private final JobSource<T> source;
        private int concurrency = 10;
        private Duration lease;
        private Duration drain = Duration.ofSeconds(25);
        private RetryPolicy retries = RetryPolicy.DEFAULT;
        private FailurePolicy failures = (job, failure) -> FailurePolicy.Action.RETRY;
        private final List<WorkerListener> listeners = new ArrayList<>();

        private Builder(JobSource<T> source) {
            this.source = source;
            this.lease = source.defaultLease();
        }

        /** Handles so many jobs at once: 1 to 10 000; 10 by default. */
        public Builder<T> concurrency(int jobs) {
            this.concurrency = (int) JobBounds.inRange("concurrency", jobs, 1, 10_000);
            return this;
        }

        /**
         * Has jobs in hand for so long at a time: 10 ms to 1 day, 30 seconds by default; entries of a stream up to the
         * group's minimum idle time, and so long by default. It is extended while a handler runs, so it says how soon
         * another worker takes over when this one has died, not how long a handler may take.
         */
        public Builder<T> lease(Duration length) {
            Duration max = source.maxLease();
            if (JobBounds.lease(length).compareTo(max) > 0) {
                throw new IllegalArgumentException(
                        "a lease of " + source.name() + " must be at most " + max + ", was " + length);
            }
            this.lease = length;
            return this;
        }

        /** Waits so long for handlers when it is closed: 25 seconds by default. */
        public Builder<T> drain(Duration atMost) {
            this.drain = JobBounds.delay(atMost);
            return this;
        }

        /** Tries jobs that failed again as this says. */
        public Builder<T> retries(RetryPolicy policy) {
            this.retries = Objects.requireNonNull(policy, "policy");
            return this;
        }

        /** Asks this what becomes of a job that failed. */
        public Builder<T> onFailure(FailurePolicy policy) {
            this.failures = Objects.requireNonNull(policy, "policy");
            return this;
        }

        /** Tells this one, too, what is done. */
        public Builder<T> listener(WorkerListener listener) {
            listeners.add(Objects.requireNonNull(listener, "listener"));
            return this;
        }

        /** Begins, with a handler that holds a thread while it runs: a virtual one where the JVM has them. */
        public Worker start(Handler<T> handler) {
            return started(
                    HandlerRunner.blocking(Objects.requireNonNull(handler, "handler"), source, settings(), listeners));
        }

        /** Begins, with a handler that holds no thread. */
        public Worker startAsync(AsyncHandler<T> handler) {
            return started(
                    HandlerRunner.async(Objects.requireNonNull(handler, "handler"), source, settings(), listeners));
        }

        private HandlerRunner.Settings settings() {
            return new HandlerRunner.Settings(source.name(), concurrency, lease, retries, failures);
        }

        private Worker started(HandlerRunner<T> runner) {
            runner.start();
            return new Worker(runner, drain);
        }
    }
}
