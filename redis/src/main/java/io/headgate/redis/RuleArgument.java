package io.headgate.redis;

import io.headgate.limits.FixedWindow;
import io.headgate.limits.Limit;
import io.headgate.limits.SlidingCounter;
import io.headgate.limits.SlidingWindow;
import io.headgate.limits.TokenBucket;
import io.headgate.limits.internal.Micros;
import io.headgate.limits.internal.RefillRate;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What a script is told about one rule's limit: packed as the file of its kind says, and made once, for all the
 * expiries that there are.
 */
final class RuleArgument {

    /** How long a count is kept after it no longer matters: a minute, and one more so that it is seldom set anew. */
    private static final long REST_MILLIS = 120_000;

    private static final int JITTERS = 16;

    private final byte[][] jittered = new byte[JITTERS][];

    RuleArgument(Limit limit) {
        long lifeMillis = lifeMicros(limit) / 1000 + 1 + REST_MILLIS;
        for (int i = 0; i < JITTERS; i++) {
            jittered[i] = pack(limit, lifeMillis + lifeMillis * i / (10 * JITTERS));
        }
    }

    /** The argument; each time with another expiry, so that keys don't expire in one instant. */
    byte[] bytes() {
        return jittered[ThreadLocalRandom.current().nextInt(JITTERS)];
    }

    /** How long what is charged now can matter. */
    private static long lifeMicros(Limit limit) {
        if (limit instanceof FixedWindow fixed) {
            return Micros.of(fixed.window());
        }
        if (limit instanceof SlidingWindow sliding) {
            return Micros.of(sliding.window());
        }
        if (limit instanceof SlidingCounter counter) {
            return 2 * Micros.of(counter.window());
        }
        return rate((TokenBucket) limit).microsToRefill(limit.permits(), 0);
    }

    private static byte[] pack(Limit limit, long expiryMillis) {
        Packed packed = new Packed().number(limit.permits(), 4);
        if (limit instanceof FixedWindow fixed) {
            boolean fromFirst = fixed.alignment() == FixedWindow.Alignment.FIRST_REQUEST;
            packed.number(Micros.of(fixed.window()), 6).number(expiryMillis, 6).number(fromFirst ? 1 : 0, 1);
        } else if (limit instanceof SlidingWindow sliding) {
            packed.number(Micros.of(sliding.window()), 6).number(expiryMillis, 6);
        } else if (limit instanceof SlidingCounter counter) {
            packed.number(Micros.of(counter.window()), 6).number(expiryMillis, 6);
        } else {
            RefillRate rate = rate((TokenBucket) limit);
            packed.number(rate.permits(), 4).number(rate.periodMicros(), 6).number(expiryMillis, 6);
        }
        return packed.bytes();
    }

    private static RefillRate rate(TokenBucket bucket) {
        return RefillRate.of(bucket.refillPermits(), Micros.of(bucket.refillPeriod()));
    }
}
