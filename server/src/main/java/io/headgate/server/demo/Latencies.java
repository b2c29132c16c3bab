package io.headgate.server.demo;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Records many durations in bounded memory, and returns percentiles that are at most 4 % too high.
 *
 * <p>The range from each power of two to the next is divided into 32 equal buckets. Safe for use by several threads.
 */
final class Latencies {

    private static final int PART_BITS = 5;
    private static final int PARTS = 1 << PART_BITS;

    private final AtomicLongArray counts = new AtomicLongArray((Long.SIZE - PART_BITS) * PARTS);

    void add(Duration took) {
        counts.incrementAndGet(indexOf(Math.max(0, took.toNanos())));
    }

    /** The duration that this percentage of the recorded durations did not exceed; zero if none was recorded. */
    Duration percentile(double percent) {
        long total = 0;
        for (int i = 0; i < counts.length(); i++) {
            total += counts.get(i);
        }
        long wanted = (long) Math.ceil(total * percent / 100);
        long seen = 0;
        for (int i = 0; i < counts.length(); i++) {
            seen += counts.get(i);
            if (seen > 0 && seen >= wanted) {
                return Duration.ofNanos(upperEndOf(i));
            }
        }
        return Duration.ZERO;
    }

    private static int indexOf(long nanos) {
        if (nanos < PARTS) {
            return (int) nanos;
        }
        int shift = Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos) - PART_BITS;
        return (shift + 1) * PARTS + (int) ((nanos >>> shift) - PARTS);
    }

    private static long upperEndOf(int index) {
        int shift = index / PARTS - 1;
        return shift < 0 ? index : ((long) (PARTS + index % PARTS) << shift) + (1L << shift) - 1;
    }
}
