package io.headgate.redis.limits;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * About how many permits are asked for of each id in a period. Ids share places: each place counts one of them, what is
 * asked for others there counts against it, and who comes when nothing is left has the place. So one that is asked for often is
 * found among any number that are not. A count may be lost when two threads count at once: it only says what is worth a lease.
 */
final class Demand {

    private static final int PLACE_BITS = 12;

    /** What of a hash doesn't say the place: ids are taken for one only where their whole hashes are the same. */
    private static final int TAG_BITS = Integer.SIZE - PLACE_BITS;

    private static final int COUNT_BITS = 31;
    private static final int MAX_COUNT = Integer.MAX_VALUE;

    private final long periodMicros;

    /** Of each place the period, as far as it fits, the tag, and the count. */
    private final AtomicLongArray places = new AtomicLongArray(1 << PLACE_BITS);

    /** Counts in periods of this length. */
    Demand(long periodMicros) {
        this.periodMicros = periodMicros;
    }

    /** Counts permits that were asked for, and returns how many were in this period. */
    long add(Object id, long permits, long nowMicros) {
        int hash = id.hashCode() * 0x9E3779B9;
        int place = hash >>> TAG_BITS;
        long period = (nowMicros / periodMicros) << (TAG_BITS + COUNT_BITS);
        long own = period | (long) (hash << PLACE_BITS >>> PLACE_BITS) << COUNT_BITS;
        long asked = Math.min(permits, MAX_COUNT);

        long was = places.getPlain(place);
        long before = was >>> (TAG_BITS + COUNT_BITS) == period >>> (TAG_BITS + COUNT_BITS) ? was & MAX_COUNT : 0;
        if ((was & ~(long) MAX_COUNT) == own) {
            asked = Math.min(MAX_COUNT, before + asked);
        } else if (before > asked) {
            places.setPlain(place, was - asked);
            return asked;
        }
        places.setPlain(place, own | asked);
        return asked;
    }
}
