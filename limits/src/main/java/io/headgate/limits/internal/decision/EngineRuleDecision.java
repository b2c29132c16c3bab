package io.headgate.limits.internal.decision;

import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.Micros;
import io.headgate.limits.internal.algorithm.Leasing;
import java.time.Duration;
import java.util.Optional;

/** The result of one rule, as engines create it. Immutable. */
public final class EngineRuleDecision implements RuleDecision {

    private static final long NOW = 0;
    private static final long NEVER = Long.MAX_VALUE;
    private static final long NOT_BANNED = -1;

    /** The retry-after of a request for more permits than a local share, which the whole limit may allow. */
    private static final long SOON_MICROS = 1_000_000;

    private final Rule rule;
    private final long remaining;

    /**
     * How long the request must wait, or {@link #NOW} or {@link #NEVER}. Negative if the rule allowed it but counted the attempt; the same
     * request would now wait that long.
     */
    private final long waitMicros;

    private final long delayMicros;
    private final long resetMicros;

    /** How long the id has been banned; {@link #NOT_BANNED} if it is not. */
    private final long bannedMicros;

    private EngineRuleDecision(Rule rule, long remaining, long waitMicros, long delayMicros, long resetMicros) {
        this(rule, remaining, waitMicros, delayMicros, resetMicros, NOT_BANNED);
    }

    private EngineRuleDecision(
            Rule rule, long remaining, long waitMicros, long delayMicros, long resetMicros, long bannedMicros) {
        this.bannedMicros = bannedMicros;
        this.rule = rule;
        this.remaining = Bounds.inRange("remaining", remaining, 0, rule.limit().permits());
        this.waitMicros = waitMicros;
        this.delayMicros = Bounds.inRange("delayMicros", delayMicros, 0, Long.MAX_VALUE);
        this.resetMicros = Bounds.inRange("resetMicros", resetMicros, 0, Long.MAX_VALUE);
    }

    /**
     * Creates the decision of a rule that allows the request.
     *
     * @param remaining {@link #remaining()}, 0 to the limit
     * @param resetMicros {@link #resetAfter()}, in microseconds
     */
    public static EngineRuleDecision allowed(Rule rule, long remaining, long resetMicros) {
        return allowedAfter(rule, remaining, 0, resetMicros);
    }

    /**
     * Creates the decision of a rule that allows the request after a delay.
     *
     * @param remaining {@link #remaining()}, 0 to the limit
     * @param delayMicros {@link #delay()}, in microseconds
     * @param resetMicros {@link #resetAfter()}, in microseconds
     */
    public static EngineRuleDecision allowedAfter(Rule rule, long remaining, long delayMicros, long resetMicros) {
        return new EngineRuleDecision(rule, remaining, NOW, delayMicros, resetMicros);
    }

    /**
     * Creates the decision of a rule that denies the request and would allow it later.
     *
     * @param remaining {@link #remaining()}, 0 to the limit
     * @param retryMicros {@link #retryAfter()}, in microseconds; at least 1
     * @param resetMicros {@link #resetAfter()}, in microseconds
     */
    public static EngineRuleDecision denied(Rule rule, long remaining, long retryMicros, long resetMicros) {
        Bounds.inRange("retryMicros", retryMicros, 1, NEVER - 1);
        return new EngineRuleDecision(rule, remaining, retryMicros, 0, resetMicros);
    }

    /**
     * Creates the decision of a rule that denies the request permanently, because the request is for more permits than the limit.
     *
     * @param remaining {@link #remaining()}, 0 to the limit
     * @param resetMicros {@link #resetAfter()}, in microseconds
     */
    public static EngineRuleDecision neverAllowed(Rule rule, long remaining, long resetMicros) {
        return new EngineRuleDecision(rule, remaining, NEVER, 0, resetMicros);
    }

    /**
     * Creates the decision of a rule that has banned the id of the request.
     *
     * @param rule the rule, which need not {@linkplain Rule#banning ban} any more
     * @param bannedMicros {@link #bannedFor()}, in microseconds; at least 0
     * @param retryMicros {@link #retryAfter()}, in microseconds; at least 1
     * @throws IllegalArgumentException if a number is out of its range
     */
    public static EngineRuleDecision banned(Rule rule, long bannedMicros, long retryMicros) {
        Bounds.inRange("bannedMicros", bannedMicros, 0, Long.MAX_VALUE);
        Bounds.inRange("retryMicros", retryMicros, 1, NEVER - 1);
        return new EngineRuleDecision(rule, 0, retryMicros, 0, retryMicros, bannedMicros);
    }

    /**
     * Creates the decision of a rule that allowed the request and counted it as an attempt, because other rules or policies denied it.
     * The rule would now allow the same request only after a wait.
     *
     * @param rule a rule that {@linkplain Rule#countingAttempts() counts attempts}
     * @param remaining {@link #remaining()}, 0 to the limit
     * @param retryMicros {@link #retryAfter()}, in microseconds; at least 1
     * @param resetMicros {@link #resetAfter()}, in microseconds
     * @throws IllegalArgumentException if the rule does not count attempts, or a number is out of its range
     */
    public static EngineRuleDecision allowedAndFull(Rule rule, long remaining, long retryMicros, long resetMicros) {
        Bounds.inRange("retryMicros", retryMicros, 1, NEVER - 1);
        if (!rule.countsAttempts()) {
            throw new IllegalArgumentException("rule " + rule.name() + " does not count attempts");
        }
        return new EngineRuleDecision(rule, remaining, -retryMicros, 0, resetMicros);
    }

    /**
     * Returns this decision for a part of a charge, with the unspent rest of the charge as further remaining permits. The unspent
     * permits are the last of the charge, and a bucket pays off its last permits last. So the reset-after is earlier by the time in
     * which the unspent permits are refilled, and all refunds of parts of the charge together return no more than the charge.
     *
     * @param more the number of unspent permits
     */
    EngineRuleDecision withRemaining(long more) {
        if (!allowed()) {
            // The rule is in shadow mode, and was charged nothing.
            return this;
        }
        long resetSooner = Leasing.microsToRefill(rule.limit(), more);
        return new EngineRuleDecision(
                rule,
                Math.min(limit(), remaining + more),
                waitMicros,
                delayMicros,
                Math.max(0, resetMicros - resetSooner));
    }

    /**
     * Converts the decision by a share of a limit into a decision of the rule with the whole limit. A request for more permits than the
     * share is retryable if the whole limit is large enough, because the whole limit applies again when Redis is back.
     */
    EngineRuleDecision ofWhole(Rule whole, long permits) {
        boolean soon = waitMicros == NEVER && permits <= whole.limit().permits();
        return new EngineRuleDecision(
                whole,
                Math.min(remaining, whole.limit().permits()),
                soon ? SOON_MICROS : waitMicros,
                delayMicros,
                resetMicros);
    }

    @Override
    public Rule rule() {
        return rule;
    }

    @Override
    public boolean allowed() {
        return waitMicros <= NOW;
    }

    @Override
    public long limit() {
        return rule.limit().permits();
    }

    @Override
    public long remaining() {
        return remaining;
    }

    @Override
    public boolean retryable() {
        return waitMicros != NOW && waitMicros != NEVER;
    }

    @Override
    public Optional<Duration> retryAfter() {
        return retryable() ? Optional.of(Micros.toDuration(waitMicros())) : Optional.empty();
    }

    @Override
    public Duration delay() {
        return Micros.toDuration(delayMicros);
    }

    @Override
    public Duration resetAfter() {
        return Micros.toDuration(resetMicros);
    }

    @Override
    public Optional<Duration> bannedFor() {
        return banned() ? Optional.of(Micros.toDuration(bannedMicros)) : Optional.empty();
    }

    /** Whether the rule has banned the id of the request. */
    boolean banned() {
        return bannedMicros != NOT_BANNED;
    }

    /** Returns how long the same request would have to wait, in microseconds; {@link Long#MAX_VALUE} if it is never allowed. */
    long waitMicros() {
        return Math.abs(waitMicros);
    }

    long delayMicros() {
        return delayMicros;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof EngineRuleDecision that
                && rule.equals(that.rule)
                && remaining == that.remaining
                && waitMicros == that.waitMicros
                && delayMicros == that.delayMicros
                && resetMicros == that.resetMicros
                && bannedMicros == that.bannedMicros;
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
                + ", reset after " + resetAfter()
                + bannedFor().map(time -> ", banned for " + time).orElse("");
    }
}
