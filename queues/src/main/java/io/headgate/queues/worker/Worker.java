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
 * Handles the jobs of a queue, or the entries that a consumer group receives. A worker claims them when they are due, renews their
 * leases while a handler runs, and settles them.
 *
 * <pre>{@code
 * try (Worker worker = Worker.of(mails).concurrency(20).start(job -> send(job.payload()))) {
 *     ...
 * }
 * }</pre>
 *
 * <p>When a handler returns, its job is acknowledged. When it throws an exception, the job is retried according to the {@link
 * RetryPolicy}, unless the {@link FailurePolicy} decides otherwise. After the last attempt, the job becomes a dead letter.
 *
 * <p>A job whose payload cannot be decoded becomes a dead letter immediately. The handler and the failure policy are not called, and
 * listeners do not receive {@link WorkerListener#onDeadLettered}; the worker logs the failure at {@code WARNING}.
 *
 * <p>A job is handled at least once. A job whose handler has returned is handled again only in these cases: the worker crashed, it lost
 * the lease, it could not reach the queue to acknowledge the job, {@link #close} stopped waiting before the handler returned, or the
 * store lost the acknowledgement.
 *
 * <p>The worker logs failures of the handler with their stack traces, to the {@link System.Logger} with the name of this class. It logs
 * at {@code WARNING} the first failure of a job that is retried, and the failure that makes a job a dead letter; all others at {@code
 * DEBUG}. After ten warnings in a minute, it logs the further ones at {@code DEBUG} too. If a {@linkplain
 * WorkerListener#handlesFailures listener handles failures}, the worker logs only payloads that cannot be decoded.
 *
 * <p>The class, message and top frames of a failure are stored with the job, as one of its {@link Job#causes() causes}, unless the
 * failure policy parks or discards the job.
 *
 * <p>A worker has a thread that is not a daemon, so the process does not end by itself until its workers are closed. Safe for use by
 * several threads.
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

    /** Stops the worker, and waits for running handlers up to the time of {@link Builder#drain}; see {@link #close(Duration)}. */
    @Override
    public void close() {
        close(drain);
    }

    /**
     * Stops the worker: it claims no more jobs, hands back the jobs that no handler has started, and waits for running handlers. When
     * the time is up, it hands back the jobs of handlers that still run, and interrupts the threads of these handlers. Then it waits up
     * to a second until the last settlements are sent. A job that is handed back keeps its number of attempts. A second call does
     * nothing, unless settlements could not be sent: then it tries once more, and waits for them.
     *
     * @param atMost how long to wait for running handlers: 0 or more
     */
    public void close(Duration atMost) {
        runner.close(atMost);
    }

    /**
     * Builds a worker. Not safe for use by several threads.
     *
     * @param <T> the type of the payload
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

        /** Sets how many jobs are handled concurrently: 1 to 10 000; 10 by default. */
        public Builder<T> concurrency(int jobs) {
            this.concurrency = (int) JobBounds.inRange("concurrency", jobs, 1, 10_000);
            return this;
        }

        /**
         * Sets how long a job is leased: 10 ms to 1 day, 30 seconds by default. For a group, the minimum idle time is the longest
         * lease, and the default. The worker renews the lease while a handler runs, so a handler may run longer than the lease. The
         * lease determines how soon another worker takes over the jobs of a crashed one.
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

        /** Sets how long {@link Worker#close()} waits for running handlers: 0 to 3660 days; 25 seconds by default. */
        public Builder<T> drain(Duration atMost) {
            this.drain = JobBounds.delay(atMost);
            return this;
        }

        /**
         * Sets how often a failed job is retried, and after which delays; {@link RetryPolicy#DEFAULT} by default: 10 attempts, with waits
         * from 1 second to 10 minutes. After the last attempt, the job becomes a dead letter. The policy applies to jobs for which the
         * {@linkplain #onFailure failure policy} returns {@link FailurePolicy.Action#RETRY}.
         */
        public Builder<T> retries(RetryPolicy policy) {
            this.retries = Objects.requireNonNull(policy, "policy");
            return this;
        }

        /** Sets the policy that decides about each failed job; by default, every failed job is retried. */
        public Builder<T> onFailure(FailurePolicy policy) {
            this.failures = Objects.requireNonNull(policy, "policy");
            return this;
        }

        /** Adds a listener, which is notified of each job that the worker starts, handles or settles, or whose lease it loses. */
        public Builder<T> listener(WorkerListener listener) {
            listeners.add(Objects.requireNonNull(listener, "listener"));
            return this;
        }

        /** Starts the worker. The handler occupies a thread while it runs: a virtual thread, if the JVM has them. */
        public Worker start(Handler<T> handler) {
            return started(
                    HandlerRunner.blocking(Objects.requireNonNull(handler, "handler"), source, settings(), listeners));
        }

        /** Starts the worker, with a handler that occupies no thread while it waits. */
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
