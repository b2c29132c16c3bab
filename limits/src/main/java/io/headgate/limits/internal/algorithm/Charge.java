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
 * The permits that a refund removes from the count of one rule.
 *
 * @param permits the number of permits
 * @param isOfOldest whether to remove the oldest permits that still count; the times are not used then
 * @param atMicros the time of the charge, in microseconds since 1970
 * @param wholeAtMicros the time at which, after the charge, the whole limit would be available again, in microseconds since 1970
 */
public record Charge(long permits, boolean isOfOldest, long atMicros, long wholeAtMicros) {

    /** The charge of a rule that a decision did not charge. Its times are in 1970, so it has expired. */
    private static final Charge NOTHING = new Charge(0, false, 1, 1);

    /** Returns a charge of the oldest permits. */
    public static Charge ofOldest(long permits) {
        return new Charge(permits, true, 0, 0);
    }

    /**
     * Returns the charges of a decision, for each of its rules that the policy still has with the same name and kind of limit. A charge
     * may have 0 permits. Empty if the decision charged nothing, or the policy has none of its rules any more.
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
        for (RuleDecision ofRule : decision.rules()) {
            for (Rule rule : policy.rules()) {
                if (isOf(ofRule, rule)) {
                    long atMicros = Micros.of(decision.decidedAt(rule.name()));
                    long wholeAt = atMicros + Micros.of(ofRule.resetAfter());
                    Charge charged = new Charge(decision.charged(), false, atMicros, wholeAt);
                    charges.put(rule, ofRule.allowed() ? charged : NOTHING);
                }
            }
        }
        return charges;
    }

    /** Returns a charge of the oldest permits for each rule of a policy. */
    public static Map<Rule, Charge> ofOldest(Policy policy, long permits) {
        Map<Rule, Charge> charges = new LinkedHashMap<>();
        policy.rules().forEach(rule -> charges.put(rule, ofOldest(permits)));
        return charges;
    }

    /**
     * Whether the charge can no longer be refunded: the time is past {@link #wholeAtMicros}, at which the decision expected the whole
     * limit to be available. A later change of the limit does not extend that time, so a record of the refund is not needed longer
     * either.
     */
    public boolean isExpired(long nowMicros) {
        return !isOfOldest && nowMicros >= wholeAtMicros;
    }

    /**
     * Returns the charge with a lower bound of {@link #wholeAtMicros}. If all earlier charges of a bucket were refunded, the bucket
     * paid off this charge from {@link #atMicros} on, and so earlier than expected. For a window, returns the charge itself.
     *
     * @param charged the permits of the decision; the permits of this charge are the last of them
     */
    public Charge surelyLeft(Limit limit, long charged) {
        long paidOffAt = atMicros + Leasing.microsToRefill(limit, charged);
        return (limit instanceof TokenBucket || limit instanceof LeakyBucket) && paidOffAt < wholeAtMicros
                ? new Charge(permits, false, atMicros, paidOffAt)
                : this;
    }

    private static boolean isOf(RuleDecision ofRule, Rule rule) {
        return ofRule.rule().name().equals(rule.name())
                && LimitKind.of(ofRule.rule().limit()) == LimitKind.of(rule.limit());
    }
}
