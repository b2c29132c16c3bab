package io.headgate.queues.worker;

import io.headgate.queues.internal.JobBounds;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * A source of jobs for a worker: a queue or a consumer group. One poll settles the jobs that the worker has finished and claims the next
 * ones.
 *
 * <p>{@link io.headgate.queues.JobQueue#source()} and {@link io.headgate.queues.streams.ConsumerGroup#source()} return one. To change
 * what a worker claims, or to trace its calls, implement this interface and delegate to such a source. This one stops claiming while a
 * switch is off, and still settles jobs:
 *
 * <pre>{@code
 * record Switched<T>(JobSource<T> source, BooleanSupplier on) implements JobSource<T> {
 *     public String name() { return source.name(); }
 *     public Duration defaultLease() { return source.defaultLease(); }
 *     public Duration maxLease() { return source.maxLease(); }
 *     public Subscription subscribe(Runnable onSignal) { return source.subscribe(onSignal); }
 *
 *     public CompletionStage<PollResult<T>> poll(PollRequest request) {
 *         return on.getAsBoolean()
 *                 ? source.poll(request)
 *                 : source.poll(request.withMax(0)).thenApply(result -> result.withMoreInMicros(100_000));
 *     }
 * }
 * }</pre>
 *
 * <p>A source must be safe for use by several threads. A worker sends one poll at a time; several workers may share a source.
 *
 * @param <T> the type of the payload
 */
public interface JobSource<T> {

    /** Returns the name of the source for log messages, such as {@code queue mails}. */
    String name();

    /** Returns how long a worker leases a job if {@link Worker.Builder#lease} is not called; 30 seconds unless overridden. */
    default Duration defaultLease() {
        return Duration.ofSeconds(30);
    }

    /** Returns the longest lease that {@link Worker.Builder#lease} accepts; 1 day unless overridden. */
    default Duration maxLease() {
        return JobBounds.MAX_LEASE;
    }

    /**
     * Settles claimed jobs, then claims due jobs under a lease. Must not block.
     *
     * @return a stage with the result, which has one element of {@link PollResult#settled()} for each settlement of the request. If the
     *     stage fails, the worker assumes that nothing was settled, and sends the same settlements again
     */
    CompletionStage<PollResult<T>> poll(PollRequest request);

    /**
     * Subscribes to signals: the source runs the callback whenever jobs may be due earlier than the last poll reported, until the
     * subscription is closed. The callback does not block. A worker polls once a second even without a signal.
     */
    Subscription subscribe(Runnable onSignal);

    /** A subscription to the signals of a source. */
    interface Subscription extends AutoCloseable {

        /** Ends the subscription. A second call does nothing. */
        @Override
        void close();
    }
}
