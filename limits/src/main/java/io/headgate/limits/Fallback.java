package io.headgate.limits;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * How a limiter on Redis decides while Redis does not reply, and how long a decision waits for Redis. The in-memory engine
 * ignores it.
 *
 * <pre>{@code
 * Policy payments = Policy.named("payments")
 *         .rule("per-card", Limit.slidingWindow(5, Duration.ofMinutes(1)), "card")
 *         .fallback(Fallback.closed().within(Duration.ofMillis(20)))
 *         .build();
 * }</pre>
 *
 * @param mode how requests are decided
 * @param budget the longest time of a decision, including the wait for Redis: 1 ms to 1 minute; empty for 50 ms, or with {@link
 *     Mode#NONE} for the engine's timeout. Never longer than that timeout. The fallback may answer up to 3 ms early, but not
 *     before half of the budget
 */
public record Fallback(Mode mode, Optional<Duration> budget) {

    private static final Duration USUAL_BUDGET = Duration.ofMillis(50);
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofMinutes(1);

    /** How requests are decided while Redis does not reply. */
    public enum Mode {
        /** The instance's share of the limit decides. */
        LOCAL,
        /** All requests are admitted. */
        OPEN,
        /** All requests are denied. */
        CLOSED,
        /** There is no fallback: callers get a {@link LimiterException}. */
        NONE
    }

    /** Checks the budget. */
    public Fallback {
        Objects.requireNonNull(mode, "mode");
        if (budget.isPresent()
                && (budget.get().compareTo(SHORTEST) < 0 || budget.get().compareTo(LONGEST) > 0)) {
            throw new IllegalArgumentException("budget must be from 1 ms to 1 minute, was " + budget.get());
        }
    }

    /**
     * Each instance decides by its share: the limit divided by the number of instances, and at least one permit. The share
     * starts with the usage that Redis last reported. Redis is charged for admitted requests when it is available again.
     */
    public static Fallback local() {
        return new Fallback(Mode.LOCAL, Optional.empty());
    }

    /**
     * All requests are admitted, and none is charged later. A denial that was cached before the outage still holds until its
     * {@code retryAfter}, except for one request a second.
     */
    public static Fallback open() {
        return new Fallback(Mode.OPEN, Optional.empty());
    }

    /** All requests are denied, with a {@code retryAfter} of one second. */
    public static Fallback closed() {
        return new Fallback(Mode.CLOSED, Optional.empty());
    }

    /** Callers get a {@link LimiterException}, and decide themselves. */
    public static Fallback none() {
        return new Fallback(Mode.NONE, Optional.empty());
    }

    /** Returns the same fallback with another budget: 1 ms to 1 minute. */
    public Fallback within(Duration longest) {
        return new Fallback(mode, Optional.of(longest));
    }

    /** Returns the longest time of a decision, for an engine with this timeout. */
    public Duration budget(Duration timeout) {
        Duration wanted = budget.orElse(mode == Mode.NONE ? timeout : USUAL_BUDGET);
        return wanted.compareTo(timeout) < 0 ? wanted : timeout;
    }
}
