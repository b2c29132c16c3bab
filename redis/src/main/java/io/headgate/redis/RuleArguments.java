package io.headgate.redis;

import io.headgate.limits.FixedWindow;
import io.headgate.limits.Limit;
import io.headgate.limits.SlidingWindow;
import io.headgate.limits.TokenBucket;
import io.headgate.limits.internal.LimitKind;
import io.headgate.limits.internal.Micros;
import io.headgate.limits.internal.RefillRate;
import java.util.concurrent.ThreadLocalRandom;

/** What a script is told about one rule's limit, made once and passed through as text with every call. */
final class RuleArguments {

    /** How many arguments a rule takes: its kind and four more. */
    static final int COUNT = 5;

    /** How long a count is kept after it no longer matters: a minute, and one more where it is set once a minute. */
    private static final long REST_MILLIS = 120_000;

    private static final int JITTERS = 16;

    private final String[] fixed;
    private final String[] expiriesMillis = new String[JITTERS];

    private RuleArguments(long lifeMicros, String... fixed) {
        this.fixed = fixed;
        long lifeMillis = lifeMicros / 1000 + 1 + REST_MILLIS;
        for (int i = 0; i < JITTERS; i++) {
            expiriesMillis[i] = Long.toString(lifeMillis + lifeMillis * i / (10 * JITTERS));
        }
    }

    static RuleArguments of(Limit limit) {
        String kind = LimitKind.of(limit).code();
        String permits = Long.toString(limit.permits());
        if (limit instanceof FixedWindow fixed) {
            long windowMicros = Micros.of(fixed.window());
            String alignment = fixed.alignment() == FixedWindow.Alignment.CLOCK ? "c" : "f";
            return new RuleArguments(windowMicros, kind, permits, Long.toString(windowMicros), alignment);
        }
        if (limit instanceof SlidingWindow sliding) {
            long windowMicros = Micros.of(sliding.window());
            return new RuleArguments(windowMicros, kind, permits, Long.toString(windowMicros), "");
        }
        TokenBucket bucket = (TokenBucket) limit;
        RefillRate rate = RefillRate.of(bucket.refillPermits(), Micros.of(bucket.refillPeriod()));
        return new RuleArguments(
                rate.whole(bucket.capacity()) + 1,
                kind,
                permits,
                Long.toString(rate.permits()),
                Long.toString(rate.periodMicros()));
    }

    /** Writes them from {@code at} on; each time with another expiry, so that keys don't expire in one instant. */
    void writeTo(String[] arguments, int at) {
        System.arraycopy(fixed, 0, arguments, at, fixed.length);
        arguments[at + fixed.length] =
                expiriesMillis[ThreadLocalRandom.current().nextInt(JITTERS)];
    }
}
