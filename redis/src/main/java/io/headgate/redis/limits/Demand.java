package io.headgate.redis.limits;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * About how many permits are asked for of each id in a period. Ids that share a place are counted together, and a count may
 * be lost when two threads count at once: it only says what is worth a lease.
 */
final class Demand {

    private static final int PLACES = 4096;
    private static final int COUNT_BITS = 32;
    private static final long MAX_COUNT = (1L << COUNT_BITS) - 1;

    private final long periodMicros;
    private final AtomicLongArray places = new AtomicLongArray(PLACES);

    /** Counts in periods of this length. */
    Demand(long periodMicros) {
        this.periodMicros = periodMicros;
    }

    /** Counts permits that were asked for, and returns how many were in this period. */
    long add(Object id, long permits, long nowMicros) {
        int hash = id.hashCode() * 0x9E3779B9;
        int place = hash >>> (Integer.SIZE - Integer.numberOfTrailingZeros(PLACES));
        long period = (nowMicros / periodMicros) << COUNT_BITS;
        long was = places.getPlain(place);
        long before = (was & ~MAX_COUNT) == period ? was & MAX_COUNT : 0;
        long count = Math.min(MAX_COUNT, before + Math.min(permits, MAX_COUNT));
        places.setPlain(place, period | count);
        return count;
    }
}
