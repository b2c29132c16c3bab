package io.headgate.queues.internal;

import io.headgate.queues.Job;
import org.jspecify.annotations.Nullable;

/**
 * A job that a worker has in hand. Guarded by the loop, but for the job.
 *
 * @param <T> what a payload is
 */
final class Held<T> {

    final Work<T> work;

    /** When the lease expires at the earliest, and when to extend it. */
    long expiresAtNanos;

    long renewAtNanos;

    /** Whether a handler has it. */
    boolean begun;

    /** Whether it has been said what came of it; nothing more is said then. */
    boolean settled;

    /** The job once it was decoded. */
    volatile @Nullable Job<T> job;

    Held(Work<T> work) {
        this.work = work;
    }

    /** Notes that the lease is this long from a time before the call that gave it. */
    void leased(long fromNanos, long leaseNanos) {
        expiresAtNanos = fromNanos + leaseNanos;
        renewAtNanos = fromNanos + leaseNanos / 3;
    }
}
