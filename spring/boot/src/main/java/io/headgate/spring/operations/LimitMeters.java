package io.headgate.spring.operations;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Hold;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.LimitListener;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Policy;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Binds the meters of limits: {@value #REQUESTS} by policy and outcome, and {@value #DEGRADED}. The first {@value
 * FirstPolicies#MAX_POLICIES} policies have counters of their own; further ones have the tag {@value FirstPolicies#OTHER}.
 */
final class LimitMeters implements MeterBinder {

    static final String REQUESTS = "headgate.requests";
    static final String DEGRADED = "headgate.engine.degraded";

    private final LimitEngine engine;

    LimitMeters(LimitEngine engine) {
        this.engine = engine;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder(DEGRADED, engine, limits -> limits.health().callsRedis() ? 0 : 1)
                .description("1 while fallbacks decide because Redis does not reply, otherwise 0")
                .register(registry);
        engine.addListener(new Requests(registry));
    }

    /** Counts requests for permits and for holds. */
    private static final class Requests implements LimitListener {

        private final FirstPolicies<PolicyCounters> counters;

        Requests(MeterRegistry registry) {
            this.counters = new FirstPolicies<>(policy -> new PolicyCounters(registry, policy));
        }

        @Override
        public void onDecision(
                Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
            counters.get(policy.name()).decided(decision.allowed());
        }

        @Override
        public void onHold(InFlightPolicy policy, Attributes attributes, long permits, Hold hold, long elapsedNanos) {
            counters.get(policy.name()).decided(hold.allowed());
        }

        @Override
        public void onFailure(Policy policy, Attributes attributes, long permits, LimiterException failure) {
            counters.get(policy.name()).failed.increment();
        }

        @Override
        public void onHoldFailure(
                InFlightPolicy policy, Attributes attributes, long permits, LimiterException failure) {
            counters.get(policy.name()).failed.increment();
        }
    }

    /** The counters of one policy. */
    private static final class PolicyCounters {

        private final Counter allowed;
        private final Counter denied;
        private final Counter failed;

        PolicyCounters(MeterRegistry registry, String policy) {
            this.allowed = counter(registry, policy, "allowed");
            this.denied = counter(registry, policy, "denied");
            this.failed = counter(registry, policy, "failed");
        }

        private static Counter counter(MeterRegistry registry, String policy, String outcome) {
            return Counter.builder(REQUESTS)
                    .description("Requests that were decided, or failed without a decision")
                    .tag("policy", policy)
                    .tag("outcome", outcome)
                    .register(registry);
        }

        void decided(boolean admitted) {
            (admitted ? allowed : denied).increment();
        }
    }
}
