package io.headgate.limits;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * What a limiter on Redis answers while Redis does not, and how long it waits for Redis before it does. The engine in memory has
 * no use for it.
 *
 * <pre>{@code
 * Policy payments = Policy.named("payments")
 *         .rule("per-card", Limit.slidingWindow(5, Duration.ofMinutes(1)), "card")
 *         .fallback(Fallback.closed().within(Duration.ofMillis(20)))
 *         .build();
 * }</pre>
 *
 * @param mode what is answered
 * @param budget how long a decision may take, the wait for Redis included: 1 ms to 1 minute; empty for 50 ms, or where failures
 *     are not answered for the time-out of the engine. It ends up to 3 ms sooner, but not before half of it, and with the engine's time-out in any case
 */
public record Fallback(Mode mode, Optional<Duration> budget) {

    private static final Duration USUAL_BUDGET = Duration.ofMillis(50);
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofMinutes(1);

    /** What is answered. */
    public enum Mode {
        /** What the instance's share of the limit says. */
        LOCAL,
        /** Everything may pass. */
        OPEN,
        /** Nothing may pass. */
        CLOSED,
        /** Nothing: callers get a {@link LimiterException}. */
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
     * Each instance goes on with its share: the limit, divided by the number of instances that were there, and at least one permit.
     * It begins with what Redis last said, and what it admits is charged when Redis is back.
     */
    public static Fallback local() {
        return new Fallback(Mode.LOCAL, Optional.empty());
    }

    /** Everything may pass, as if there was no limit; nothing of it is charged later. */
    public static Fallback open() {
        return new Fallback(Mode.OPEN, Optional.empty());
    }

    /** Nothing may pass. */
    public static Fallback closed() {
        return new Fallback(Mode.CLOSED, Optional.empty());
    }

    /** Callers are told of the failure by a {@link LimiterException}, and decide themselves. */
    public static Fallback none() {
        return new Fallback(Mode.NONE, Optional.empty());
    }

    /** The same within another budget: 1 ms to 1 minute. */
    public Fallback within(Duration longest) {
        return new Fallback(mode, Optional.of(longest));
    }

    /** How long a decision may take of an engine with that time-out. */
    public Duration budget(Duration timeout) {
        Duration told = budget.orElse(mode == Mode.NONE ? timeout : USUAL_BUDGET);
        return told.compareTo(timeout) < 0 ? told : timeout;
    }
}
