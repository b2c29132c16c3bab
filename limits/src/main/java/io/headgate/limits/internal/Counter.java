package io.headgate.limits.internal;

/**
 * What is counted for one key in memory: the state, and the lock that guards it.
 *
 * @param <S> the state of the algorithm
 */
final class Counter<S> {

    /** Locks are taken in this order, so that two requests never wait for each other. */
    final long order;

    final S state;

    /** Set under the lock when the counter has left the table; who finds it set looks the key up again. */
    boolean evicted;

    /** From when on nothing that is counted here matters. */
    long quietAtMicros;

    Counter(long order, S state) {
        this.order = order;
        this.state = state;
    }
}
