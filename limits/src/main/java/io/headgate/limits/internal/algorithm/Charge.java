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
 * @param permits how many
 * @param isOfOldest whether the oldest that still count are meant, and then the times say nothing
 * @param atMicros when they were charged
 * @param wholeAtMicros when the limit would have been whole again after them
 */
public record Charge(long permits, boolean isOfOldest, long atMicros, long wholeAtMicros) {

    /** Of a rule that a decision did not charge: as if it had been in 1970, since when it has left whatever it was in. */
    private static final Charge NOTHING = new Charge(0, false, 1, 1);

    /** As many of the oldest permits. */
    public static Charge ofOldest(long permits) {
        return new Charge(permits, true, 0, 0);
    }

    /**
     * What a decision charged to the rules that the policy still has, those of the same name and kind of limit; some of
     * them perhaps nothing. No rules when it charged nothing at all, or when the policy has none of its rules any more.
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
     * Whether it stopped counting: when its decision said that the limit would be whole again. A later change of the limit doesn't
     * prolong that, so that a record of the refund is needed until then and no longer.
     */
    public boolean hasLeft(long nowMicros) {
        return !isOfOldest && nowMicros >= wholeAtMicros;
    }

    /**
     * As much of it as a bucket surely has not paid off, even were all that was charged before taken back since: then it was paid
     * off from the beginning. Of a window it is the same.
     *
     * @param charged of how many permits it is the last ones
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
