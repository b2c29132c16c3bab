package io.headgate.testkit.model;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.internal.decision.EngineDecisions;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The brute-force model of all limits, for tests that compare its decisions with those of an engine.
 *
 * <pre>{@code
 * LimitModel model = new LimitModel();
 * Decision expected = model.tryAcquire(policy, attributes, 1, clock.nowMicros());
 * }</pre>
 *
 * <p>Each call passes the time, in microseconds since 1970, which may be before that of the last call. For one thread.
 */
public final class LimitModel {

    private final Map<Key, Count> counts = new HashMap<>();

    /** The charge ids of the decisions that were refunded. */
    private final Set<Long> refunded = new HashSet<>();

    /** The identity of a count; each kind of limit has its own. */
    private record Key(String policy, String rule, Class<?> kind, List<String> ids) {

        static Key of(Policy policy, Rule rule, Attributes attributes) {
            return new Key(policy.name(), rule.name(), rule.limit().getClass(), attributes.idsOf(rule));
        }
    }

    /**
     * Requests permits, which are charged if all rules allow them. A shadow rule denies nothing, and is charged with the others if it
     * would allow the request. A rule that counts attempts is charged for denied requests, too.
     */
    public Decision tryAcquire(Policy policy, Attributes attributes, long permits, long nowMicros) {
        return tryAcquire(List.of(new Part(policy, attributes, permits)), nowMicros)
                .get(0);
    }

    /** One of several policies that decide a request, with its attributes and requested permits. */
    public record Part(Policy policy, Attributes attributes, long permits) {}

    /** Decides a request under several policies, and returns the decision of each. All are charged, or none. */
    public List<Decision> tryAcquire(List<Part> parts, long nowMicros) {
        List<List<RuleResult>> looks = new ArrayList<>();
        boolean admitted = true;
        for (Part part : parts) {
            List<RuleResult> results = look(part.policy(), part.attributes(), part.permits(), nowMicros);
            for (int i = 0; i < results.size(); i++) {
                admitted &=
                        results.get(i).allowed() || part.policy().rules().get(i).shadow();
            }
            looks.add(results);
        }
        List<Decision> decisions = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            decisions.add(charge(parts.get(i), looks.get(i), admitted, nowMicros));
        }
        return decisions;
    }

    private Decision charge(Part part, List<RuleResult> results, boolean admitted, long nowMicros) {
        for (int i = 0; i < results.size(); i++) {
            Rule rule = part.policy().rules().get(i);
            Key key = Key.of(part.policy(), rule, part.attributes());
            Count count = count(key, rule);
            if (admitted && results.get(i).allowed()) {
                results.set(i, count.charge(rule.limit(), part.permits(), nowMicros));
            } else if (rule.countsAttempts()) {
                RuleResult attempted = count.attempt(rule.limit(), part.permits(), nowMicros);
                results.set(i, results.get(i).allowed() ? attempted.afterAllowing() : attempted);
            }
            keepIfCharged(key, count);
        }
        return decision(part.policy(), nowMicros, admitted ? part.permits() : 0, results);
    }

    /**
     * Refunds a decision, and returns the largest number of permits that any rule refunds. A decision is refunded once. A rule refunds
     * it only before the time at which its limit would have been fully available again.
     */
    public long refund(Policy policy, Attributes attributes, Decision decision, long nowMicros) {
        if (decision.charged() == 0 || refunded.contains(decision.chargeId())) {
            return 0;
        }
        long most = refundNow(policy, attributes, decision, nowMicros);
        if (most > 0) {
            refunded.add(decision.chargeId());
        }
        return most;
    }

    private long refundNow(Policy policy, Attributes attributes, Decision decision, long nowMicros) {
        long most = 0;
        for (RuleDecision decided : decision.rules()) {
            Optional<Rule> current = policy.rules().stream()
                    .filter(rule -> rule.name().equals(decided.rule().name()))
                    .filter(rule ->
                            rule.limit().getClass() == decided.rule().limit().getClass())
                    .findFirst();
            long chargedMicros = ChronoUnit.MICROS.between(Instant.EPOCH, decision.decidedAt());
            long resetAtMicros = chargedMicros + Count.micros(decided.resetAfter());
            if (decided.allowed() && current.isPresent() && nowMicros < resetAtMicros) {
                Rule rule = current.get();
                most = Math.max(
                        most,
                        refund(policy, rule, attributes, decision.charged(), chargedMicros, resetAtMicros, nowMicros));
            }
        }
        return most;
    }

    /** Refunds the oldest permits, and returns the largest number that any rule refunds. */
    public long refund(Policy policy, Attributes attributes, long permits, long nowMicros) {
        long most = 0;
        for (Rule rule : policy.rules()) {
            most = Math.max(most, refund(policy, rule, attributes, permits, 0, 0, nowMicros));
        }
        return most;
    }

    /** Refunds permits of one rule: the oldest ones if {@code chargedMicros} is 0; {@code resetAtMicros} then has no meaning. */
    private long refund(
            Policy policy,
            Rule rule,
            Attributes attributes,
            long permits,
            long chargedMicros,
            long resetAtMicros,
            long nowMicros) {
        Key key = Key.of(policy, rule, attributes);
        Count count = count(key, rule);
        long back = count.refund(rule.limit(), permits, chargedMicros, resetAtMicros, nowMicros);
        keepIfCharged(key, count);
        return back;
    }

    private Count count(Key key, Rule rule) {
        Count stored = counts.get(key);
        return stored == null ? Count.start(rule.limit()) : stored;
    }

    private void keepIfCharged(Key key, Count count) {
        if (count.lastMicros() > 0) {
            counts.put(key, count);
        } else {
            counts.remove(key);
        }
    }

    /** Decides without charging. */
    public Decision peek(Policy policy, Attributes attributes, long permits, long nowMicros) {
        return decision(policy, nowMicros, 0, look(policy, attributes, permits, nowMicros));
    }

    /** Removes the count of one rule, and returns whether there was one. */
    public boolean reset(Policy policy, String rule, Attributes attributes) {
        return counts.remove(Key.of(policy, policy.rule(rule), attributes)) != null;
    }

    private List<RuleResult> look(Policy policy, Attributes attributes, long permits, long nowMicros) {
        List<RuleResult> looks = new ArrayList<>();
        for (Rule rule : policy.rules()) {
            Count count = count(Key.of(policy, rule, attributes), rule);
            looks.add(count.look(rule.limit(), permits, nowMicros));
        }
        return looks;
    }

    private static Decision decision(Policy policy, long nowMicros, long permits, List<RuleResult> results) {
        EngineRuleDecision[] rules = new EngineRuleDecision[results.size()];
        for (int i = 0; i < rules.length; i++) {
            rules[i] = results.get(i).toDecision(policy.rules().get(i));
        }
        return EngineDecisions.of(policy, nowMicros, permits, rules);
    }
}
