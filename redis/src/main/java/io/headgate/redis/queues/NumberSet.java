package io.headgate.redis.queues;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/** A set of numbers of jobs, which lie close together mostly: a bit for each. Not safe for use by several threads at once. */
final class NumberSet {

    private static final int SPAN_BITS = 12;

    private final Map<Long, BitSet> spans = new HashMap<>();

    /** Adds the number; whether it was not there. */
    boolean add(long number) {
        BitSet span = spans.computeIfAbsent(number >>> SPAN_BITS, key -> new BitSet());
        int bit = (int) (number & ((1 << SPAN_BITS) - 1));
        boolean absent = !span.get(bit);
        span.set(bit);
        return absent;
    }
}
