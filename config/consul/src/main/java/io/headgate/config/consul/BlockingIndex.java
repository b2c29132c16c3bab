package io.headgate.config.consul;

import java.math.BigInteger;

/**
 * The index of a blocking query, by the rules of Consul's documentation: it starts from 0 again if a returned one is lower than the one
 * before, as after a restored backup, and is at least 1 otherwise, since a query with the index 0 does not wait.
 */
record BlockingIndex(BigInteger value) {

    /** A query with this index returns at once. */
    static final BlockingIndex START = new BlockingIndex(BigInteger.ZERO);

    boolean waits() {
        return value.signum() > 0;
    }

    /** The index of the query after one that returned this index. */
    BlockingIndex after(BigInteger returned) {
        return returned.compareTo(value) < 0 ? START : new BlockingIndex(returned.max(BigInteger.ONE));
    }
}
