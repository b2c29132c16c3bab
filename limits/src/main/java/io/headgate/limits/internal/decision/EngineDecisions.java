package io.headgate.limits.internal.decision;

import io.headgate.limits.Decision;
import io.headgate.limits.Decision.Basis;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.bans.BanEntry;
import io.headgate.limits.internal.Bounds;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Creates the decisions of engines. */
public final class EngineDecisions {

    private EngineDecisions() {}

    /**
     * Creates the decision of a policy with one rule.
     *
     * @param decidedAtMicros the time of the decision, in microseconds since 1970
     * @param permits the permits that are charged if the request is allowed; 0 for a peek, and if another policy denied the request
     * @param rule the result of the only rule
     * @throws IllegalArgumentException if the policy has other rules
     */
    public static EngineDecision of(Policy policy, long decidedAtMicros, long permits, EngineRuleDecision rule) {
        List<Rule> expected = policy.rules();
        if (expected.size() != 1 || !isSame(expected.get(0), rule.rule())) {
            throw notOf(policy, rule);
        }
        return requireDenier(new RuleBasedDecision(policy.name(), basis(rule), decidedAtMicros, permits, rule));
    }

    /**
     * Creates the decision of a policy.
     *
     * @param decidedAtMicros the time of the decision, in microseconds since 1970
     * @param permits the permits that are charged if the request is allowed; 0 for a peek, and if another policy denied the request
     * @param rules the result of each rule, in the order of the policy
     * @throws IllegalArgumentException if the policy has other rules, or has them in another order
     */
    public static EngineDecision of(Policy policy, long decidedAtMicros, long permits, EngineRuleDecision... rules) {
        return of(policy, decidedAtMicros, null, permits, rules);
    }

    /**
     * Creates the decision of a policy whose rules were decided by separate calls, each by the clock of its node.
     *
     * @param decidedAtMicros the time of the decision of each rule, in microseconds since 1970
     * @param permits the permits that are charged if the request is allowed; 0 for a peek, and if another policy denied the request
     * @param rules the result of each rule, in the order of the policy
     * @throws IllegalArgumentException if the policy has other rules, or has them in another order, or the number of times differs
     */
    public static EngineDecision of(Policy policy, long[] decidedAtMicros, long permits, EngineRuleDecision... rules) {
        if (decidedAtMicros.length != rules.length) {
            throw new IllegalArgumentException("each of the " + rules.length
                    + " rules must have one time, but the times were " + Arrays.toString(decidedAtMicros));
        }
        long latest = Arrays.stream(decidedAtMicros).max().orElse(0);
        boolean isSameTime = Arrays.stream(decidedAtMicros).allMatch(micros -> micros == latest);
        return of(policy, latest, isSameTime ? null : decidedAtMicros.clone(), permits, rules);
    }

    private static EngineDecision of(
            Policy policy,
            long decidedAtMicros,
            long @Nullable [] ruleMicros,
            long permits,
            EngineRuleDecision... rules) {
        if (rules.length == 1) {
            return of(policy, decidedAtMicros, permits, rules[0]);
        }
        List<Rule> expected = policy.rules();
        boolean same = rules.length == expected.size();
        for (int i = 0; same && i < rules.length; i++) {
            same = isSame(expected.get(i), rules[i].rule());
        }
        if (!same) {
            throw notOf(policy, rules);
        }
        return requireDenier(new RuleBasedDecision(
                policy.name(), basis(rules), decidedAtMicros, permits, List.of(rules), ruleMicros));
    }

    private static Basis basis(EngineRuleDecision... rules) {
        for (EngineRuleDecision rule : rules) {
            if (rule.banned() && !rule.rule().shadow()) {
                return Basis.BANNED;
            }
        }
        return Basis.COUNTED;
    }

    /**
     * Creates a denial from a cached denial by one rule of the policy.
     *
     * @param decidedAtMicros the time of the decision, in microseconds since 1970
     * @param rule the result of the rule
     * @throws IllegalArgumentException if the rule allows the request, or is in shadow mode
     */
    public static EngineDecision cachedDenial(Policy policy, long decidedAtMicros, EngineRuleDecision rule) {
        if (rule.allowed() || rule.rule().shadow()) {
            throw new IllegalArgumentException("the rule of a cached denial must deny, but is " + rule);
        }
        Basis basis = rule.banned() ? Basis.BANNED : Basis.CACHED_DENIAL;
        return new RuleBasedDecision(policy.name(), basis, decidedAtMicros, 0, rule);
    }

    /**
     * Creates the decision of a request that spends permits of a lease.
     *
     * @param lease the decision that charged the permits of the lease
     * @param permits the permits that the request spends, at least 1
     * @param left the permits of the lease that are still unspent
     * @throws IllegalArgumentException if the lease was denied, or a number is out of its range
     */
    public static EngineDecision leased(Decision lease, long permits, long left) {
        Bounds.inRange("permits", permits, 1, lease.charged());
        Bounds.inRange("left", left, 0, lease.charged() - permits);
        RuleBasedDecision charge = (RuleBasedDecision) lease;
        if (charge.isOfOneRule()) {
            EngineRuleDecision only = charge.decisiveRule().withRemaining(left);
            return new RuleBasedDecision(charge.policyName(), Basis.LEASED, charge.decidedAtMicros(), permits, only);
        }
        List<EngineRuleDecision> rules =
                charge.all().stream().map(rule -> rule.withRemaining(left)).toList();
        return new RuleBasedDecision(
                charge.policyName(), Basis.LEASED, charge.decidedAtMicros(), permits, rules, charge.ruleMicros());
    }

    /**
     * Creates a decision by the local share of this process.
     *
     * @param policy the policy of the request
     * @param ofShare the decision by the same rules with the share of each limit
     * @param permits the requested permits
     */
    public static EngineDecision byShare(Policy policy, Decision ofShare, long permits) {
        List<EngineRuleDecision> shares = ((RuleBasedDecision) ofShare).all();
        EngineRuleDecision[] rules = new EngineRuleDecision[shares.size()];
        for (int i = 0; i < rules.length; i++) {
            rules[i] = shares.get(i).ofWhole(policy.rules().get(i), permits);
        }
        String name = policy.name();
        return rules.length == 1
                ? new RuleBasedDecision(name, Basis.LOCAL_SHARE, ofShare.decidedAtMicros(), ofShare.charged(), rules[0])
                : new RuleBasedDecision(
                        name, Basis.LOCAL_SHARE, ofShare.decidedAtMicros(), ofShare.charged(), List.of(rules), null);
    }

    /**
     * Creates the decision on a paused request.
     *
     * @param restMicros how long the request is still paused, in microseconds; at least 1
     */
    public static EngineDecision paused(Policy policy, long decidedAtMicros, long restMicros) {
        Bounds.inRange("restMicros", restMicros, 1, Long.MAX_VALUE);
        return RulelessDecision.denied(policy.name(), Basis.PAUSED, decidedAtMicros, restMicros);
    }

    /**
     * Creates the decision on a request that is banned or exempt.
     *
     * @param restMicros how long a ban is still in force, in microseconds; 0 if it is permanent, and for an exemption
     */
    public static EngineDecision byBan(Policy policy, long decidedAtMicros, BanEntry ban, long restMicros) {
        Bounds.inRange("restMicros", restMicros, 0, Long.MAX_VALUE);
        return RulelessDecision.by(ban, policy.name(), decidedAtMicros, restMicros);
    }

    /**
     * Creates the decision of a policy that did not decide, because a cached denial, a ban or a pause of another policy denied the request.
     *
     * @param decidedAtMicros the time of the denial, in microseconds since 1970
     */
    public static EngineDecision skipped(Policy policy, long decidedAtMicros) {
        return RulelessDecision.allowed(policy.name(), Basis.SKIPPED, decidedAtMicros);
    }

    /** Creates the decision of a policy whose fallback allows all requests while Redis does not reply. */
    public static EngineDecision open(Policy policy, long decidedAtMicros) {
        return RulelessDecision.allowed(policy.name(), Basis.OPEN, decidedAtMicros);
    }

    /**
     * Creates the decision of a policy whose fallback denies all requests while Redis does not reply. If all rules are in shadow mode,
     * the request is allowed, because such a policy never denies.
     *
     * @param retryMicros {@link Decision#retryAfter()}, in microseconds; at least 1
     */
    public static EngineDecision closed(Policy policy, long decidedAtMicros, long retryMicros) {
        Bounds.inRange("retryMicros", retryMicros, 1, Long.MAX_VALUE);
        for (Rule rule : policy.rules()) {
            if (!rule.shadow()) {
                return RulelessDecision.denied(policy.name(), Basis.CLOSED, decidedAtMicros, retryMicros);
            }
        }
        return open(policy, decidedAtMicros);
    }

    /** Rejects a contradiction: permits were charged, so nothing denied the request, but a rule counted it as a denied attempt. */
    private static EngineDecision requireDenier(RuleBasedDecision decision) {
        EngineRuleDecision decisive = decision.decisiveRule();
        if (decision.charged() > 0 && decisive.allowed() && decisive.retryable()) {
            throw new IllegalArgumentException(
                    "a request that every rule allows is not an attempt; was " + decision.rules());
        }
        return decision;
    }

    @SuppressWarnings("ReferenceEquality") // most often it is the same object, and comparing rules is expensive
    private static boolean isSame(Rule expected, Rule given) {
        return expected == given || expected.equals(given);
    }

    private static IllegalArgumentException notOf(Policy policy, EngineRuleDecision... decisions) {
        List<Rule> given = Stream.of(decisions).map(EngineRuleDecision::rule).toList();
        List<String> names = given.stream().map(Rule::name).toList();
        List<String> expected = policy.rules().stream().map(Rule::name).toList();
        return new IllegalArgumentException("policy " + policy.name() + " has the rules "
                + (names.equals(expected)
                        ? policy.rules() + "; the decisions are of " + given
                        : expected + " in this order; the decisions are of " + names));
    }
}
