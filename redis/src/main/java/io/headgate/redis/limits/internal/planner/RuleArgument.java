package io.headgate.redis.limits.internal.planner;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Limit;
import io.headgate.limits.SlidingCounter;
import io.headgate.limits.SlidingWindow;
import io.headgate.limits.bans.BanRule;
import io.headgate.limits.internal.Micros;
import io.headgate.limits.internal.algorithm.CalendarPeriods;
import io.headgate.limits.internal.algorithm.LimitKind;
import io.headgate.limits.internal.algorithm.RefillRate;
import io.headgate.redis.internal.script.Packed;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The script argument with the encoded limit of one rule, in the format that the Lua file of its kind describes. It is encoded once,
 * with each of several expiries. The argument of a calendar window is encoded again when the time is no longer in the periods that it
 * states. Safe for use by any number of threads.
 */
public final class RuleArgument {

    /**
     * The time for which a key is stored after its count can no longer affect decisions, when a charge sets its expiry. Later charges set
     * the expiry again when less than a minute of this time would be left.
     */
    public static final long REST_MILLIS = 120_000;

    /** The maximum jitter of the expiry in calendar windows, so that not all keys expire at the same time after a period. */
    public static final long SPREAD_MILLIS = 3_600_000;

    private static final int JITTERS = 16;

    private final Limit limit;
    private final Optional<BanRule> ban;
    private final Optional<RefillRate> rate;
    private volatile Encoded encoded;

    /** The argument with each expiry, and the beginnings of the calendar periods in it. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Encoded(byte[][] jittered, long[] beginnings) {

        byte[] any() {
            return jittered[ThreadLocalRandom.current().nextInt(JITTERS)];
        }
    }

    /**
     * Encodes a limit.
     *
     * @param ban when the rule bans; empty if it does not
     * @param aboutMicros a time in the middle of the calendar periods that the argument states
     */
    RuleArgument(Limit limit, Optional<BanRule> ban, long aboutMicros) {
        this.limit = limit;
        this.ban = ban;
        this.rate = rate(limit);
        this.encoded = encode(aboutMicros);
    }

    /** The argument, with a random one of its expiries, so that not all keys expire at the same time. */
    byte[] bytes() {
        return encoded.any();
    }

    /** Encodes the argument with the calendar periods about this time, which are used from now on. */
    byte[] bytesAbout(long micros) {
        Encoded about = encode(micros);
        encoded = about;
        return about.any();
    }

    /** Encodes the argument again if the time is no longer in the middle of its calendar periods, before scripts reject these. */
    void observeTime(long micros) {
        if (limit instanceof CalendarWindow && CalendarPeriods.indexOf(encoded.beginnings, micros) != 1) {
            encoded = encode(micros);
        }
    }

    /** The refill rate of a bucket; empty for other limits. */
    Optional<RefillRate> rate() {
        return rate;
    }

    private static Optional<RefillRate> rate(Limit limit) {
        return switch (LimitKind.of(limit)) {
            case TOKEN_BUCKET, LEAKY_BUCKET -> Optional.of(LimitKind.rateOf(limit));
            default -> Optional.empty();
        };
    }

    /** The number of bytes of the argument for a rule with this limit that does not ban. */
    public static int size(Limit limit) {
        return limitBytes(LimitKind.of(limit));
    }

    /** The number of bytes of the limit in the argument, which the parameters of bans follow. */
    static int limitBytes(LimitKind kind) {
        return switch (kind) {
            case FIXED_WINDOW -> 17;
            case CALENDAR_WINDOW -> 38;
            case SLIDING_WINDOW, SLIDING_COUNTER -> 16;
            case TOKEN_BUCKET -> 20;
            case LEAKY_BUCKET -> 21;
        };
    }

    private Encoded encode(long aboutMicros) {
        long[] beginnings =
                limit instanceof CalendarWindow calendar ? CalendarPeriods.around(calendar, aboutMicros) : new long[0];
        byte[][] jittered = new byte[JITTERS][];
        long lifeMillis = REST_MILLIS + (limit instanceof CalendarWindow ? 0 : lifeMicros(limit) / 1000 + 1);
        long spreadMillis = limit instanceof CalendarWindow ? SPREAD_MILLIS : lifeMillis / 10;
        for (int i = 0; i < JITTERS; i++) {
            jittered[i] = pack(lifeMillis + spreadMillis * i / JITTERS, beginnings);
        }
        return new Encoded(jittered, beginnings);
    }

    /** How long a charge can affect decisions; not for calendar windows, whose periods differ in length. */
    public static long lifeMicros(Limit limit) {
        if (limit instanceof CalendarWindow) {
            throw new IllegalArgumentException("its periods are of several lengths: " + limit);
        }
        return LimitKind.longestMicros(limit);
    }

    private byte[] pack(long expiryMillis, long[] beginnings) {
        Packed packed = new Packed().number(limit.permits(), 4);
        // An expression, which must have a case for every kind.
        Packed all =
                switch (LimitKind.of(limit)) {
                    case FIXED_WINDOW -> {
                        FixedWindow fixed = (FixedWindow) limit;
                        boolean fromFirst = fixed.alignment() == FixedWindow.Alignment.FIRST_REQUEST;
                        yield window(packed, fixed.window(), expiryMillis).number(fromFirst ? 1 : 0, 1);
                    }
                    case CALENDAR_WINDOW -> {
                        packed.number(expiryMillis, 6);
                        for (long beginning : beginnings) {
                            packed.number(beginning, 7);
                        }
                        yield packed;
                    }
                    case SLIDING_WINDOW -> window(packed, ((SlidingWindow) limit).window(), expiryMillis);
                    case SLIDING_COUNTER -> window(packed, ((SlidingCounter) limit).window(), expiryMillis);
                    case TOKEN_BUCKET -> bucket(packed, LimitKind.rateOf(limit), expiryMillis);
                    case LEAKY_BUCKET -> {
                        boolean shapes = ((LeakyBucket) limit).mode() == LeakyBucket.Mode.SHAPER;
                        yield bucket(packed, LimitKind.rateOf(limit), expiryMillis)
                                .number(shapes ? 1 : 0, 1);
                    }
                };
        ban.ifPresent(bans -> packed.number(bans.denials(), 2)
                .number(Micros.of(bans.within()), 6)
                .number(Micros.of(bans.duration()), 7)
                .number(bans.longestMicros(), 7));
        return all.bytes();
    }

    private static Packed window(Packed packed, Duration window, long expiryMillis) {
        return packed.number(Micros.of(window), 6).number(expiryMillis, 6);
    }

    private static Packed bucket(Packed packed, RefillRate rate, long expiryMillis) {
        return packed.number(rate.permits(), 4).number(rate.periodMicros(), 6).number(expiryMillis, 6);
    }
}
