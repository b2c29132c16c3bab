package io.headgate.limits.bans;

import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.Micros;
import java.time.Duration;
import java.util.Optional;

/**
 * When a rule bans an id that it keeps denying, and for how long. The rule bans the id at its {@code denials}th denial within a time, and
 * then denies all requests of this id until the ban ends. Only denials by this rule count, and none while the id is banned.
 *
 * <pre>{@code
 * Rule.of("per-user", Limit.slidingWindow(5, Duration.ofMinutes(1)), Attributes.USER)
 *         .banning(BanRule.after(20, Duration.ofMinutes(5))
 *                 .lasting(Duration.ofMinutes(15))
 *                 .doublingUpTo(Duration.ofHours(24)));
 * }</pre>
 *
 * <p>Each ban is longer than its duration by up to a tenth, so that ids that are banned together do not return together.
 *
 * @param denials 1 to 1000; or 0, if the rule begins no further bans
 * @param within the time in which the denials must occur: 1 second to 1 day, in whole milliseconds
 * @param duration how long the first ban lasts: 1 second to 3660 days, in whole milliseconds; at least as long as the counts of the rule
 *     matter, because they end with the ban
 * @param longest how long a ban lasts at most: each further ban lasts twice as long as the one before, up to this duration. From {@code
 *     duration} to 3660 days, in whole milliseconds. When an id has not been banned for this time, its earlier bans are forgotten. Empty if
 *     all bans have the same duration
 */
public record BanRule(int denials, Duration within, Duration duration, Optional<Duration> longest) {

    private static final int MAX_DENIALS = 1000;
    private static final Duration MIN_TIME = Duration.ofSeconds(1);
    private static final Duration MAX_WITHIN = Duration.ofDays(1);
    private static final Duration MAX_DURATION = Duration.ofDays(3660);
    private static final Duration USUAL_DURATION = Duration.ofMinutes(15);

    /** The longest duration is divided into this number of steps; a ban is longer than its duration by up to a tenth of them. */
    private static final int JITTER_STEPS = 10_000;

    private static final int JITTERS = 1000;

    /**
     * Checks the numbers.
     *
     * @throws IllegalArgumentException if one of them is out of its range
     */
    public BanRule {
        Bounds.inRange("denials of a ban", denials, 0, MAX_DENIALS);
        Bounds.wholeMillis("time of the denials of a ban", within, MIN_TIME, MAX_WITHIN);
        Bounds.wholeMillis("duration of a ban by a rule", duration, MIN_TIME, MAX_DURATION);
        if (longest.isPresent()) {
            Bounds.wholeMillis("longest duration of a ban by a rule", longest.get(), duration, MAX_DURATION);
        }
    }

    /** Returns bans of 15 minutes after this number of denials within a time. */
    public static BanRule after(int denials, Duration within) {
        return new BanRule(denials, within, USUAL_DURATION, Optional.empty());
    }

    /** Returns the same rule without further bans: it counts no denials, but bans in force remain. */
    public BanRule paused() {
        return new BanRule(0, within, duration, longest);
    }

    /** Returns the same rule with bans of this duration. */
    public BanRule lasting(Duration time) {
        return new BanRule(denials, within, time, longest);
    }

    /** Returns the same rule, whose bans last twice as long each time, up to this duration. */
    public BanRule doublingUpTo(Duration most) {
        return new BanRule(denials, within, duration, Optional.of(most));
    }

    /**
     * Returns how long a ban lasts, in microseconds.
     *
     * @param earlier how many earlier bans of the id are remembered
     * @param nowMicros the time at which the ban begins; its last digits are the random part of the duration
     */
    public long micros(int earlier, long nowMicros) {
        long longestMicros = longestMicros();
        long micros = Micros.of(duration);
        for (int i = 0; i < earlier && micros < longestMicros; i++) {
            micros = Math.min(2 * micros, longestMicros);
        }
        return micros + micros / JITTER_STEPS * (nowMicros % JITTERS);
    }

    /** Returns how long a ban lasts at most, without its random part, in microseconds. */
    public long longestMicros() {
        return Micros.of(longest.orElse(duration));
    }
}
