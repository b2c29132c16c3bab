package io.headgate.redis.limits.internal.leases;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Estimates how many permits each id requests in a period, in constant memory. This is the majority vote of Boyer and Moore in each slot of
 * a hash table: a slot counts the permits of one id. Requests of other ids decrement the count, and an id whose request uses it up takes
 * the slot. So a frequent id is found among any number of rare ones.
 *
 * <p>If two threads update the same slot, a count may be lost, as updates are plain. That is acceptable: the estimate only indicates which
 * ids are worth a lease.
 */
final class DemandEstimate {

    private static final int SLOT_BITS = 12;

    /** The number of hash bits that do not select the slot. They are stored, so ids are confused only if their whole hashes are equal. */
    private static final int TAG_BITS = Integer.SIZE - SLOT_BITS;

    private static final int COUNT_BITS = 31;
    private static final int MAX_COUNT = Integer.MAX_VALUE;

    private final long periodMicros;

    /** Each slot packs the low bits of the period, the tag, and the count. */
    private final AtomicLongArray slots = new AtomicLongArray(1 << SLOT_BITS);

    /** Creates an estimate that counts in periods of this length. */
    DemandEstimate(long periodMicros) {
        this.periodMicros = periodMicros;
    }

    /** Counts requested permits, and returns the estimated number in this period. */
    long add(Object id, long permits, long nowMicros) {
        // Fibonacci hashing: the factor is 2^32 divided by the golden ratio, and spreads similar hash codes over the
        // slots.
        int hash = id.hashCode() * 0x9E3779B9;
        int slot = hash >>> TAG_BITS;
        long period = (nowMicros / periodMicros) << (TAG_BITS + COUNT_BITS);
        long own = period | (long) (hash << SLOT_BITS >>> SLOT_BITS) << COUNT_BITS;
        long requested = Math.min(permits, MAX_COUNT);

        long was = slots.getPlain(slot);
        long before = was >>> (TAG_BITS + COUNT_BITS) == period >>> (TAG_BITS + COUNT_BITS) ? was & MAX_COUNT : 0;
        if ((was & ~(long) MAX_COUNT) == own) {
            requested = Math.min(MAX_COUNT, before + requested);
        } else if (before > requested) {
            slots.setPlain(slot, was - requested);
            return requested;
        }
        slots.setPlain(slot, own | requested);
        return requested;
    }
}
