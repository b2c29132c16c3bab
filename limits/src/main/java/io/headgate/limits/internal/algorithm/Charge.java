package io.headgate.limits.internal.algorithm;

import io.headgate.limits.Decision;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.TokenBucket;
import io.headgate.limits.internal.Micros;
import io.headgate.limits.internal.decision.EngineDecision;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The part of a rule's count that a refund removes.
 *
 * @param permits the number of permits
 * @param isOfOldest whether these are the oldest permits that still count; then the times are not used
 * @param atMicros the time of the charge
 * @param wholeAtMicros the time at which the limit would have been whole again after it
 */
public record Charge(long permits, boolean isOfOldest, long atMicros, long wholeAtMicros) {

    /** The charge of a rule that a decision did not charge: as of 1970, so that it does not count any more. */
    private static final Charge NOTHING = new Charge(0, false, 1, 1);

    /** The oldest permits. */
    public static Charge ofOldest(long permits) {
        return new Charge(permits, true, 0, 0);
    }

    /**
     * Returns the charges of a decision to the rules that the policy still has: those of the same name and kind of limit. Some may be
     * zero. Empty if the decision charged nothing, or the policy has none of its rules any more.
     *
     * @throws IllegalArgumentException if the decision is of another policy, or no engine created it
     */
    public static Map<Rule, Charge> of(Policy policy, Decision given) {
        EngineDecision decision = EngineDecision.require(given);
        if (!decision.policyName().equals(policy.name())) {
            throw new IllegalArgumentException("a decision of policy " + decision.policyName()
                    + " can't be refunded at a limiter of policy " + policy.name());
        }
        Map<Rule, Charge> charges = new LinkedHashMap<>();
        if (decision.charged() == 0) {
            return charges;
        }
        for (RuleDecision said : decision.rules()) {
            for (Rule rule : policy.rules()) {
                if (isOf(said, rule)) {
                    long atMicros = Micros.of(decision.decidedAt(rule.name()));
                    long wholeAt = atMicros + Micros.of(said.resetAfter());
                    Charge charged = new Charge(decision.charged(), false, atMicros, wholeAt);
                    charges.put(rule, said.allowed() ? charged : NOTHING);
                }
            }
        }
        return charges;
    }

    /** The oldest permits of every rule. */
    public static Map<Rule, Charge> ofOldest(Policy policy, long permits) {
        Map<Rule, Charge> charges = new LinkedHashMap<>();
        policy.rules().forEach(rule -> charges.put(rule, ofOldest(permits)));
        return charges;
    }

    /**
     * Whether the charge no longer counts: its decision expected the limit to be whole again by that time. A later change of the limit does
     * not extend it, so a record of the refund is not needed longer.
     */
    public boolean hasLeft(long nowMicros) {
        return !isOfOldest && nowMicros >= wholeAtMicros;
    }

    /**
     * Returns the part of the charge that a bucket has certainly not paid off, even if all earlier charges were refunded since: then it
     * was paid off from its start. For a window it is the whole charge.
     *
     * @param charged the permits of the decision, of which these are the last
     */
    public Charge surelyLeft(Limit limit, long charged) {
        long paidOffAt = atMicros + Leasing.microsToRefill(limit, charged);
        return (limit instanceof TokenBucket || limit instanceof LeakyBucket) && paidOffAt < wholeAtMicros
                ? new Charge(permits, false, atMicros, paidOffAt)
                : this;
    }

    private static boolean isOf(RuleDecision said, Rule rule) {
        return said.rule().name().equals(rule.name())
                && LimitKind.of(said.rule().limit()) == LimitKind.of(rule.limit());
    }
}
