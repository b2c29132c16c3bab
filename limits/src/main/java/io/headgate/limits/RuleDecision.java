package io.headgate.limits;

import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.Micros;
import io.headgate.limits.internal.algorithm.Leasing;
import java.time.Duration;
import java.util.Optional;

/** What one rule said to a request. Immutable. */
public final class RuleDecision {

    private static final long NOW = 0;
    private static final long NEVER = Long.MAX_VALUE;
    private static final long SOON_MICROS = 1_000_000;

    private final Rule rule;
    private final long remaining;

    /** Below 0 of a rule that let the request pass, and since it counted the attempt would make the same one wait so long. */
    private final long waitMicros;

    private final long delayMicros;
    private final long resetMicros;

    private RuleDecision(Rule rule, long remaining, long waitMicros, long delayMicros, long resetMicros) {
        this.rule = rule;
        this.remaining = Bounds.inRange("remaining", remaining, 0, rule.limit().permits());
        this.waitMicros = waitMicros;
        this.delayMicros = Bounds.inRange("delayMicros", delayMicros, 0, Long.MAX_VALUE);
        this.resetMicros = Bounds.inRange("resetMicros", resetMicros, 0, Long.MAX_VALUE);
    }

    /**
     * The rule lets the request pass; for engines and tests.
     *
     * @param remaining what {@link #remaining()} answers, from 0 to the limit
     * @param resetMicros what {@link #resetAfter()} answers, in microseconds
     */
    public static RuleDecision allowed(Rule rule, long remaining, long resetMicros) {
        return allowedAfter(rule, remaining, 0, resetMicros);
    }

    /**
     * The rule lets the request pass after a while; for engines and tests.
     *
     * @param remaining what {@link #remaining()} answers, from 0 to the limit
     * @param delayMicros what {@link #delay()} answers, in microseconds
     * @param resetMicros what {@link #resetAfter()} answers, in microseconds
     */
    public static RuleDecision allowedAfter(Rule rule, long remaining, long delayMicros, long resetMicros) {
        return new RuleDecision(rule, remaining, NOW, delayMicros, resetMicros);
    }

    /**
     * The rule denies the request and would let it pass later; for engines and tests.
     *
     * @param remaining what {@link #remaining()} answers, from 0 to the limit
     * @param retryMicros what {@link #retryAfter()} answers, in microseconds; at least 1
     * @param resetMicros what {@link #resetAfter()} answers, in microseconds
     */
    public static RuleDecision denied(Rule rule, long remaining, long retryMicros, long resetMicros) {
        Bounds.inRange("retryMicros", retryMicros, 1, NEVER - 1);
        return new RuleDecision(rule, remaining, retryMicros, 0, resetMicros);
    }

    /**
     * The rule denies the request and always will, because it asks for more than the limit; for engines and tests.
     *
     * @param remaining what {@link #remaining()} answers, from 0 to the limit
     * @param resetMicros what {@link #resetAfter()} answers, in microseconds
     */
    public static RuleDecision neverAllowed(Rule rule, long remaining, long resetMicros) {
        return new RuleDecision(rule, remaining, NEVER, 0, resetMicros);
    }

    /**
     * The rule would have let the request pass, which others denied, and has counted it as an attempt; now it would let the
     * same one pass later. For engines and tests.
     *
     * @param rule one that {@linkplain Rule#countingAttempts() counts attempts}
     * @param remaining what {@link #remaining()} answers, from 0 to the limit
     * @param retryMicros what {@link #retryAfter()} answers, in microseconds; at least 1
     * @param resetMicros what {@link #resetAfter()} answers, in microseconds
     * @throws IllegalArgumentException when the rule does not count attempts, or a number is out of its range
     */
    public static RuleDecision allowedAndFull(Rule rule, long remaining, long retryMicros, long resetMicros) {
        Bounds.inRange("retryMicros", retryMicros, 1, NEVER - 1);
        if (!rule.countsAttempts()) {
            throw new IllegalArgumentException("rule " + rule.name() + " does not count attempts");
        }
        return new RuleDecision(rule, remaining, -retryMicros, 0, resetMicros);
    }

    /**
     * The same where so many permits of what was charged remain. What a bucket was charged last it pays off last, and these are the
     * last of them: so refunds of the others take back what is left of theirs, and no more in all than of the charge.
     */
    RuleDecision withRemaining(long more) {
        if (!allowed()) {
            // In the shadow: nothing was charged to it.
            return this;
        }
        long resetSooner = Leasing.microsToRefill(rule.limit(), more);
        return new RuleDecision(
                rule,
                Math.min(limit(), remaining + more),
                waitMicros,
                delayMicros,
                Math.max(0, resetMicros - resetSooner));
    }

    /**
     * The same, said of a share of that rule's limit. What the share can't ever admit the whole may, which is there again
     * soon.
     */
    RuleDecision ofWhole(Rule whole, long permits) {
        boolean soon = waitMicros == NEVER && permits <= whole.limit().permits();
        return new RuleDecision(
                whole,
                Math.min(remaining, whole.limit().permits()),
                soon ? SOON_MICROS : waitMicros,
                delayMicros,
                resetMicros);
    }

    /** The rule that decided. */
    public Rule rule() {
        return rule;
    }

    /** Whether this rule would let the request pass; it does when all rules of the policy would that are not in the shadow. */
    public boolean allowed() {
        return waitMicros <= NOW;
    }

    /** The most permits that the rule can admit at once. */
    public long limit() {
        return rule.limit().permits();
    }

    /** How many more permits the rule would admit at this instant; after the charge, when there was one. */
    public long remaining() {
        return remaining;
    }

    /**
     * Whether waiting helps: the rule would deny the same request now, and admit it after {@link #retryAfter()}. Not so when
     * it asks for more than the limit, nor when it is allowed; but for one that others denied, and that as an attempt has
     * filled this rule.
     */
    public boolean retryable() {
        return waitMicros != NOW && waitMicros != NEVER;
    }

    /**
     * How long until the rule would admit the same request if nothing else were admitted meanwhile, to the
     * microsecond; empty unless it is {@link #retryable()}.
     */
    public Optional<Duration> retryAfter() {
        return retryable() ? Optional.of(Micros.toDuration(waitMicros())) : Optional.empty();
    }

    /**
     * How long an admitted request is to wait before it goes on, so that requests leave evenly spaced; zero but for a
     * {@linkplain LeakyBucket#shaper() leaky bucket that shapes}.
     */
    public Duration delay() {
        return Micros.toDuration(delayMicros);
    }

    /** How long until the whole limit is available again if nothing else is admitted; zero when it is now. */
    public Duration resetAfter() {
        return Micros.toDuration(resetMicros);
    }

    /** Orders by how long a caller must wait; what never passes comes last. */
    long waitMicros() {
        return Math.abs(waitMicros);
    }

    long delayMicros() {
        return delayMicros;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RuleDecision that
                && rule.equals(that.rule)
                && remaining == that.remaining
                && waitMicros == that.waitMicros
                && delayMicros == that.delayMicros
                && resetMicros == that.resetMicros;
    }

    @Override
    public int hashCode() {
        return rule.hashCode() * 31 + Long.hashCode(remaining ^ waitMicros ^ delayMicros ^ resetMicros);
    }

    @Override
    public String toString() {
        return rule.name() + (rule.shadow() ? " (shadow)" : "") + (allowed() ? " allowed" : " denied") + ", limit "
                + limit() + ", remaining " + remaining
                + (waitMicros == NOW
                        ? delayMicros > 0 ? ", delay " + delay() : ""
                        : ", retry after "
                                + retryAfter().map(Duration::toString).orElse("never"))
                + ", reset after " + resetAfter();
    }
}
