package io.headgate.server.serve;

import io.headgate.config.Policies;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Hold;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import io.headgate.limits.LimitListener;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/** Counts decisions and requests for holds since the start, by policy and rule. Bounded, because the policies are. */
public final class Counts implements LimitListener {

    private static final Set<Decision.Basis> BY_FALLBACK =
            EnumSet.of(Decision.Basis.LOCAL_SHARE, Decision.Basis.OPEN, Decision.Basis.CLOSED);

    private final Map<String, OfPolicy> byPolicy = new HashMap<>();

    public Counts(Policies policies) {
        policies.forEach(policy ->
                byPolicy.put(policy.name(), new OfPolicy(policy.rules().stream().map(Rule::name))));
        policies.inFlight()
                .forEach(policy -> byPolicy.put(
                        policy.name(), new OfPolicy(policy.rules().stream().map(InFlightRule::name))));
    }

    @Override
    public void onDecision(Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
        OfPolicy counts = byPolicy.get(policy.name());
        if (counts != null) {
            counts.add(decision);
        }
    }

    @Override
    public void onHold(InFlightPolicy policy, Attributes attributes, long permits, Hold hold, long elapsedNanos) {
        OfPolicy counts = byPolicy.get(policy.name());
        if (counts != null) {
            counts.add(permits, hold);
        }
    }

    @Override
    public void onFailure(Policy policy, Attributes attributes, long permits, LimiterException failure) {
        failed(policy.name());
    }

    @Override
    public void onHoldFailure(InFlightPolicy policy, Attributes attributes, long permits, LimiterException failure) {
        failed(policy.name());
    }

    private void failed(String policy) {
        OfPolicy counts = byPolicy.get(policy);
        if (counts != null) {
            counts.failed.increment();
        }
    }

    long allowed(String policy) {
        return of(policy).allowed.sum();
    }

    public long denied(String policy) {
        return of(policy).denied.sum();
    }

    /** How many of those that were allowed or denied rest on no count, as the store could not be asked. */
    long byFallback(String policy) {
        return of(policy).byFallback.sum();
    }

    long failures(String policy) {
        return of(policy).failed.sum();
    }

    /** How many requests this rule denied, alone or together with others; of one in the shadow, would have denied. */
    public long denied(String policy, String rule) {
        return of(policy).deniedBy(rule).sum();
    }

    private OfPolicy of(String policy) {
        OfPolicy counts = byPolicy.get(policy);
        if (counts == null) {
            throw new IllegalArgumentException("policy " + policy + " is not counted here");
        }
        return counts;
    }

    private static final class OfPolicy {

        private final LongAdder allowed = new LongAdder();
        private final LongAdder denied = new LongAdder();
        private final LongAdder byFallback = new LongAdder();
        private final LongAdder failed = new LongAdder();
        private final Map<String, LongAdder> deniedBy = new HashMap<>();

        private OfPolicy(Stream<String> rules) {
            rules.forEach(rule -> deniedBy.put(rule, new LongAdder()));
        }

        private LongAdder deniedBy(String rule) {
            return Objects.requireNonNull(deniedBy.get(rule), rule);
        }

        private void add(Decision decision) {
            (decision.allowed() ? allowed : denied).increment();
            addBasis(decision.basis());
            // By name: a decision that does not rest on the counts is not of all rules.
            for (RuleDecision rule : decision.rules()) {
                if (!rule.allowed()) {
                    deniedBy(rule.rule().name()).increment();
                }
            }
        }

        private void addBasis(Decision.Basis basis) {
            if (BY_FALLBACK.contains(basis)) {
                byFallback.increment();
            }
        }

        private void add(long permits, Hold hold) {
            (hold.allowed() ? allowed : denied).increment();
            addBasis(hold.inFlight().basis());
            if (hold.denied()) {
                hold.inFlight().rules().stream()
                        .filter(count -> count.free() < permits)
                        .forEach(count -> deniedBy(count.rule().name()).increment());
            }
        }
    }
}
