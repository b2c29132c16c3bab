package io.headgate.queues.internal;

/**
 * A job that a worker has in hand. Guarded by the loop.
 *
 * @param <T> what a payload is
 */
final class Held<T> {

    final ClaimedJob<T> work;

    /** When the lease expires at the earliest, and when to extend it. */
    long expiresAtNanos;

    long renewAtNanos;

    /** Whether a handler has it. */
    boolean begun;

    /** Whether it has been said what came of it; nothing more is said then. */
    boolean settled;

    Held(ClaimedJob<T> work) {
        this.work = work;
    }

    /** Notes that the lease is this long from a time before the call that gave it. */
    void leased(long fromNanos, long leaseNanos) {
        expiresAtNanos = fromNanos + leaseNanos;
        renewAtNanos = fromNanos + leaseNanos / 3;
    }
}
