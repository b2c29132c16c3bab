package io.headgate.config.consul;

import java.math.BigInteger;

/**
 * The index of a Consul blocking query: what the previous reply returned, or 0 for a query that returns immediately.
 *
 * <p>As Consul's documentation requires, the index restarts from 0 if the returned index decreases, for example after a restored backup.
 * A returned 0 becomes 1, because a query with the index 0 does not wait.
 */
record BlockingIndex(BigInteger value) {

    /** A query with this index returns immediately. */
    static final BlockingIndex START = new BlockingIndex(BigInteger.ZERO);

    /** Whether a query with this index waits for a change. */
    boolean isBlocking() {
        return value.signum() > 0;
    }

    /** Returns the index of the next query, after a reply with the returned index. */
    BlockingIndex after(BigInteger returned) {
        return returned.compareTo(value) < 0 ? START : new BlockingIndex(returned.max(BigInteger.ONE));
    }
}
