package io.headgate.limits.internal.decision;

import io.headgate.limits.internal.BoundedId;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The ids that distinguish the charges of decisions: 64 bits, never 0. Safe for use by any number of threads.
 *
 * <p>Ids are the sequence of SplitMix64 (Steele, Lea and Flood, 2014), which repeats none, from a random start: two processes
 * that give out a million ids each share any with a probability of 1 in 9 million million.
 */
public final class ChargeIds {

    private static final long GOLDEN_GAMMA = 0x9e3779b97f4a7c15L;

    private static final AtomicLong LAST = new AtomicLong(new SecureRandom().nextLong());

    private ChargeIds() {}

    /** Returns an id that no other decision has. */
    public static long next() {
        long mixed = LAST.addAndGet(GOLDEN_GAMMA);
        mixed = (mixed ^ (mixed >>> 30)) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
        return notZero(mixed ^ (mixed >>> 31));
    }

    /** Returns the id of what is charged to a request with an id at that time: the same for everyone to whom it is replayed. */
    public static long of(String requestId, long decidedAtMicros) {
        return notZero(ByteBuffer.wrap(BoundedId.hash(decidedAtMicros + " " + requestId, Long.BYTES))
                .getLong());
    }

    private static long notZero(long id) {
        return id == 0 ? 1 : id;
    }
}
