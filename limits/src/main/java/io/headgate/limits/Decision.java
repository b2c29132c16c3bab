package io.headgate.limits;

import io.headgate.limits.internal.Micros;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The answer to a request: whether it may pass, and what the rules know.
 *
 * <p>Its own limit, remaining, retry-after and reset-after are those of the {@linkplain #decisive() decisive} rule: of
 * a denied request the rule that makes it wait longest, of an allowed one the rule that has least left. Immutable.
 */
public final class Decision {

    /** As a retry of an outcome: the rule would admit the request now. */
    public static final long NOW = 0;

    /** As a retry of an outcome: the rule can never admit so many permits. */
    public static final long NEVER = -1;

    /** How many numbers an outcome has for each rule: remaining, retry, reset. */
    public static final int OUTCOME_FIELDS = 3;

    private final long decidedAtMicros;
    private final List<RuleDecision> rules;
    private final RuleDecision decisive;

    private Decision(long decidedAtMicros, List<RuleDecision> rules) {
        this.decidedAtMicros = decidedAtMicros;
        this.rules = rules;
        this.decisive = decisiveOf(rules);
    }

    /**
     * Makes a decision; for engines.
     *
     * @param policy the policy that decided
     * @param decidedAtMicros the engine's time in microseconds since 1970
     * @param outcomes three numbers for each rule in order: permits remaining; microseconds until the request would be
     *     admitted, or {@link #NOW}, or {@link #NEVER}; microseconds until the limit is whole again
     */
    public static Decision of(Policy policy, long decidedAtMicros, long... outcomes) {
        List<Rule> rules = policy.rules();
        RuleDecision[] decisions = new RuleDecision[rules.size()];
        for (int i = 0; i < decisions.length; i++) {
            int at = i * OUTCOME_FIELDS;
            decisions[i] = new RuleDecision(rules.get(i), outcomes[at], outcomes[at + 1], outcomes[at + 2]);
        }
        return new Decision(decidedAtMicros, List.of(decisions));
    }

    private static RuleDecision decisiveOf(List<RuleDecision> rules) {
        RuleDecision decisive = rules.get(0);
        for (int i = 1; i < rules.size(); i++) {
            RuleDecision rule = rules.get(i);
            long longer = Long.compare(rule.waitMicros(), decisive.waitMicros());
            if (longer > 0 || (longer == 0 && rule.remaining() < decisive.remaining())) {
                decisive = rule;
            }
        }
        return decisive;
    }

    /** Whether the request may pass, and was charged if it was not only a look. */
    public boolean allowed() {
        return decisive.allowed();
    }

    /** The opposite of {@link #allowed()}. */
    public boolean denied() {
        return !decisive.allowed();
    }

    /** The name of the rule that denied the request; the one to wait longest for, when several did. */
    public Optional<String> deniedBy() {
        return decisive.allowed()
                ? Optional.empty()
                : Optional.of(decisive.rule().name());
    }

    /** The rule whose numbers this decision reports. */
    public RuleDecision decisive() {
        return decisive;
    }

    /** What each rule said, in the order of the policy. */
    public List<RuleDecision> rules() {
        return rules;
    }

    /** The most permits that the decisive rule can admit at once. */
    public long limit() {
        return decisive.limit();
    }

    /** How many more permits the decisive rule would admit at this instant. */
    public long remaining() {
        return decisive.remaining();
    }

    /**
     * How long until the same request would be admitted if nothing else were meanwhile; empty when it is allowed, and
     * when it never would be because it asks for more than a limit.
     */
    public Optional<Duration> retryAfter() {
        return decisive.retryAfter();
    }

    /** How long until the decisive rule's whole limit is available again if nothing else is admitted. */
    public Duration resetAfter() {
        return decisive.resetAfter();
    }

    /** When it was decided, by the clock of the engine: Redis's own, where it was decided there. */
    public Instant decidedAt() {
        return Micros.toInstant(decidedAtMicros);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Decision that && decidedAtMicros == that.decidedAtMicros && rules.equals(that.rules);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(decidedAtMicros) * 31 + rules.hashCode();
    }

    @Override
    public String toString() {
        return (allowed() ? "allowed" : "denied by " + decisive.rule().name()) + " at " + decidedAt() + " " + rules;
    }
}
