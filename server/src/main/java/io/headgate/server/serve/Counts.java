package io.headgate.server.serve;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Hold;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.LimitListener;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Policy;
import io.headgate.limits.RuleDecision;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/**
 * Counts decisions, holds and failures since the start, by the names of policies and rules. The first request of a policy creates its
 * counters, and the first denial of a rule its counter, so policies may be added while the server runs. A count without a counter is 0.
 * Attributes of requests create no counters. Safe for use by any number of threads.
 */
public final class Counts implements LimitListener {

    private static final Set<Decision.Basis> BY_FALLBACK =
            EnumSet.of(Decision.Basis.LOCAL_SHARE, Decision.Basis.OPEN, Decision.Basis.CLOSED);

    private final Map<String, OfPolicy> byPolicy = new ConcurrentHashMap<>();

    @Override
    public void onDecision(Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
        of(policy.name()).add(decision);
    }

    @Override
    public void onHold(InFlightPolicy policy, Attributes attributes, long permits, Hold hold, long elapsedNanos) {
        of(policy.name()).add(permits, hold);
    }

    @Override
    public void onFailure(Policy policy, Attributes attributes, long permits, LimiterException failure) {
        of(policy.name()).failed.increment();
    }

    @Override
    public void onHoldFailure(InFlightPolicy policy, Attributes attributes, long permits, LimiterException failure) {
        of(policy.name()).failed.increment();
    }

    long allowed(String policy) {
        return sum(policy, counts -> counts.allowed);
    }

    public long denied(String policy) {
        return sum(policy, counts -> counts.denied);
    }

    /** The number of decisions that a fallback made, because the store did not reply. */
    long byFallback(String policy) {
        return sum(policy, counts -> counts.byFallback);
    }

    long failures(String policy) {
        return sum(policy, counts -> counts.failed);
    }

    /** The number of requests that this rule denied, alone or with other rules; in shadow mode, that it would have denied. */
    public long denied(String policy, String rule) {
        return sum(policy, counts -> counts.deniedBy.get(rule));
    }

    private long sum(String policy, Function<OfPolicy, LongAdder> counter) {
        return Optional.ofNullable(byPolicy.get(policy))
                .map(counter)
                .map(LongAdder::sum)
                .orElse(0L);
    }

    private OfPolicy of(String policy) {
        OfPolicy counts = byPolicy.get(policy);
        return counts != null ? counts : byPolicy.computeIfAbsent(policy, name -> new OfPolicy());
    }

    private static final class OfPolicy {

        private final LongAdder allowed = new LongAdder();
        private final LongAdder denied = new LongAdder();
        private final LongAdder byFallback = new LongAdder();
        private final LongAdder failed = new LongAdder();
        private final Map<String, LongAdder> deniedBy = new ConcurrentHashMap<>();

        private void add(Decision decision) {
            (decision.allowed() ? allowed : denied).increment();
            addBasis(decision.basis());
            // By name: a cached denial and a fallback do not list all rules.
            for (RuleDecision rule : decision.rules()) {
                if (!rule.allowed()) {
                    addDenial(rule.rule().name());
                }
            }
        }

        private void add(long permits, Hold hold) {
            (hold.allowed() ? allowed : denied).increment();
            addBasis(hold.inFlight().basis());
            if (hold.deniedBy().isPresent()) {
                hold.inFlight().rules().stream()
                        .filter(count -> count.free() < permits)
                        .forEach(count -> addDenial(count.rule().name()));
            }
        }

        private void addBasis(Decision.Basis basis) {
            if (BY_FALLBACK.contains(basis)) {
                byFallback.increment();
            }
        }

        private void addDenial(String rule) {
            deniedBy.computeIfAbsent(rule, name -> new LongAdder()).increment();
        }
    }
}
