package io.headgate.limits;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * How a limiter on Redis decides while Redis does not reply, and how long a decision waits for Redis. Requests that {@linkplain
 * Policy.Builder#leased() leased} permits or a cached denial decide need neither Redis nor a fallback. The in-memory engine ignores
 * fallbacks.
 *
 * <pre>{@code
 * Policy payments = Policy.named("payments")
 *         .rule("per-card", Limit.slidingWindow(5, Duration.ofMinutes(1)), "card")
 *         .fallback(Fallback.closed().within(Duration.ofMillis(20)))
 *         .build();
 * }</pre>
 *
 * @param mode how requests are decided while Redis does not reply
 * @param budget how long a decision may take, including the wait for Redis: 1 ms to 1 minute. If empty, it is 50 ms, or the engine's
 *     timeout with {@link Mode#NONE}. A budget longer than the engine's timeout is cut to it. The fallback may decide before the budget
 *     ends, by up to 3 ms and a fiftieth of the budget, but not in its first half
 */
public record Fallback(Mode mode, Optional<Duration> budget) {

    private static final Duration USUAL_BUDGET = Duration.ofMillis(50);
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofMinutes(1);

    /** How requests are decided while Redis does not reply. */
    public enum Mode {
        /** Each instance decides by its share of the limit: {@link Fallback#local()}. */
        LOCAL,
        /** All requests are admitted: {@link Fallback#open()}. */
        OPEN,
        /** All requests are denied: {@link Fallback#closed()}. */
        CLOSED,
        /** There is no fallback; callers receive a {@link LimiterException}: {@link Fallback#none()}. */
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
     * Returns a fallback by which each instance decides by its share of the limit: the limit divided by the number of instances, and at
     * least one permit unless the limit is 0. The share starts with its part of the usage that Redis last reported. The admitted requests
     * are charged in Redis when it is available again.
     */
    public static Fallback local() {
        return new Fallback(Mode.LOCAL, Optional.empty());
    }

    /**
     * Returns a fallback that admits all requests and charges none of them later. A denial that was cached before the outage still
     * applies until its {@code retryAfter}, except to one request per second.
     */
    public static Fallback open() {
        return new Fallback(Mode.OPEN, Optional.empty());
    }

    /**
     * Returns a fallback that denies all requests, with a {@code retryAfter} of one second. A policy whose rules are all in shadow mode
     * denies nothing, so its requests are allowed.
     */
    public static Fallback closed() {
        return new Fallback(Mode.CLOSED, Optional.empty());
    }

    /** Returns no fallback: callers receive a {@link LimiterException} and decide themselves. */
    public static Fallback none() {
        return new Fallback(Mode.NONE, Optional.empty());
    }

    /** Returns the same fallback with another budget: 1 ms to 1 minute. */
    public Fallback within(Duration longest) {
        return new Fallback(mode, Optional.of(longest));
    }

    /** Returns how long a decision may take in an engine with this timeout. */
    public Duration budget(Duration timeout) {
        Duration wanted = budget.orElse(mode == Mode.NONE ? timeout : USUAL_BUDGET);
        return wanted.compareTo(timeout) < 0 ? wanted : timeout;
    }
}
