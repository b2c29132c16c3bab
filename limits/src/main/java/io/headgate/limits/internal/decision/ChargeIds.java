package io.headgate.limits.internal.decision;

import io.headgate.limits.internal.BoundedId;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Creates the ids of charges: 64 bits, never 0. Safe for use by any number of threads.
 */
public final class ChargeIds {

    private static final long GOLDEN_GAMMA = 0x9e3779b97f4a7c15L;

    private static final AtomicLong LAST = new AtomicLong(new SecureRandom().nextLong());

    private ChargeIds() {}

    /**
     * Returns the next id of the SplitMix64 sequence (Steele, Lea and Flood, 2014) from a random start, which repeats no id within a
     * process. Two processes that create a million ids each have an id in common with a probability of about 1 in 9 trillion.
     */
    public static long next() {
        long mixed = LAST.addAndGet(GOLDEN_GAMMA);
        mixed = (mixed ^ (mixed >>> 30)) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
        return notZero(mixed ^ (mixed >>> 31));
    }

    /** Returns the id of the charge for a request with a request id at that time. Every process computes the same one. */
    public static long of(String requestId, long decidedAtMicros) {
        return notZero(ByteBuffer.wrap(BoundedId.hash(decidedAtMicros + " " + requestId, Long.BYTES))
                .getLong());
    }

    private static long notZero(long id) {
        return id == 0 ? 1 : id;
    }
}
