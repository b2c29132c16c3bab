package io.headgate.micrometer;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Decision.Basis;
import io.headgate.limits.Health;
import io.headgate.limits.Hold;
import io.headgate.limits.InFlightCount;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.LimitListener;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Policy;
import io.headgate.limits.RuleDecision;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Counts the events of an engine in one registry. Allocates nothing for a decision of a policy that it knows. */
final class LimitMeters implements LimitListener {

    /** The decisions on holds whose rules have the counts of the store or of a share. */
    private static final Set<Basis> BY_RULES = EnumSet.of(Basis.COUNTED, Basis.LOCAL_SHARE);

    /** The upper bounds of the histogram, from a round trip in a data centre to a second. */
    private static final Duration[] BUCKETS = {
        Duration.ofNanos(250_000),
        Duration.ofNanos(500_000),
        Duration.ofMillis(1),
        Duration.ofNanos(2_500_000),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(25),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(250),
        Duration.ofSeconds(1)
    };

    private final int maxPolicies;
    private final MetersByName<PolicyMeters> policies;
    private final Timer durations;
    private final DegradedTime degraded;

    LimitMeters(MeterRegistry registry, Tags tags, int maxPolicies, DegradedTime degraded) {
        this.maxPolicies = maxPolicies;
        this.policies =
                new MetersByName<>(maxPolicies, policy -> new PolicyMeters(registry, tags.and("policy", policy)));
        this.durations = Timer.builder("headgate.decision.duration")
                .description("Time from a request to its decision, of decisions that called Redis")
                .tags(tags)
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
        this.degraded = degraded;
    }

    /**
     * Registers the meters of policies before their first request, so that a rate includes it. Does nothing if there are too many, so that
     * policies with requests have the tags.
     */
    void register(Collection<Policy> known) {
        if (known.size() <= maxPolicies) {
            known.forEach(policy -> policies.get(policy.name()));
        }
    }

    @Override
    public void onDecision(Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
        PolicyMeters meters = policies.get(policy.name());
        meters.countRequest(decision.allowed(), decision.basis());
        List<RuleDecision> rules = decision.rules();
        for (int i = 0; i < rules.size(); i++) {
            RuleDecision rule = rules.get(i);
            boolean shadow = rule.rule().shadow();
            if (!rule.allowed()) {
                meters.countDenial(rule.rule().name(), shadow);
            }
            if (!shadow) {
                meters.recordUtilization(decision.basis(), rule.limit() - rule.remaining(), rule.limit());
            }
        }
        recordDuration(elapsedNanos);
    }

    @Override
    public void onHold(InFlightPolicy policy, Attributes attributes, long permits, Hold hold, long elapsedNanos) {
        Basis basis = hold.inFlight().basis();
        PolicyMeters meters = policies.get(policy.name());
        meters.registerLostHolds();
        meters.countRequest(hold.allowed(), basis);
        if (BY_RULES.contains(basis)) {
            List<InFlightCount> counts = hold.inFlight().rules();
            for (int i = 0; i < counts.size(); i++) {
                InFlightCount count = counts.get(i);
                if (hold.denied() && count.free() < permits) {
                    meters.countDenial(count.rule().name(), false);
                }
                meters.recordUtilization(basis, count.held(), count.rule().permits());
            }
        }
        recordDuration(elapsedNanos);
    }

    private void recordDuration(long elapsedNanos) {
        if (elapsedNanos > 0) {
            durations.record(elapsedNanos, TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public void onFailure(Policy policy, Attributes attributes, long permits, LimiterException failure) {
        policies.get(policy.name()).countFailure();
    }

    @Override
    public void onHoldFailure(InFlightPolicy policy, Attributes attributes, long permits, LimiterException failure) {
        policies.get(policy.name()).countFailure();
    }

    @Override
    public void onHoldLost(InFlightPolicy policy, Attributes attributes, long permits, Hold hold) {
        policies.get(policy.name()).countLostHold();
    }

    @Override
    public void onHealthChange(Health before, Health now, String reason) {
        degraded.update();
    }
}
