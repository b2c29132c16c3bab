package io.headgate.micrometer;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
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
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Counts the events of an engine in one registry. Allocates nothing for a decision of a policy that it knows. */
final class LimitMeters implements LimitListener {

    /** The upper bounds of the histogram: around a round trip in a data centre, and up to the longest timeouts. */
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

    private final BoundedNames<PolicyMeters> policies;
    private final Timer durations;
    private final DegradedTime degraded;

    LimitMeters(MeterRegistry registry, Tags tags, int maxPolicies, DegradedTime degraded) {
        this.policies =
                new BoundedNames<>(maxPolicies, policy -> new PolicyMeters(registry, tags.and("policy", policy)));
        this.durations = Timer.builder("headgate.decision.duration")
                .description("Time from a request to its decision, for decisions that called Redis")
                .tags(tags)
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
        this.degraded = degraded;
    }

    @Override
    public void onDecision(Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
        PolicyMeters meters = policies.get(policy.name());
        meters.decided(decision.allowed(), decision.basis());
        List<RuleDecision> rules = decision.rules();
        for (int i = 0; i < rules.size(); i++) {
            RuleDecision rule = rules.get(i);
            if (!rule.allowed()) {
                meters.denied(rule.rule().name(), rule.rule().shadow());
            }
            if (!rule.rule().shadow()) {
                meters.used(decision.basis(), rule.limit() - rule.remaining(), rule.limit());
            }
        }
        called(elapsedNanos);
    }

    @Override
    public void onHold(InFlightPolicy policy, Attributes attributes, long permits, Hold hold, long elapsedNanos) {
        PolicyMeters meters = policies.get(policy.name());
        meters.lostHolds();
        meters.decided(hold.allowed(), hold.inFlight().basis());
        List<InFlightCount> counts = hold.inFlight().rules();
        for (int i = 0; i < counts.size(); i++) {
            InFlightCount count = counts.get(i);
            if (hold.denied() && count.free() < permits) {
                meters.denied(count.rule().name(), false);
            }
            meters.used(hold.inFlight().basis(), count.held(), count.rule().permits());
        }
        called(elapsedNanos);
    }

    private void called(long elapsedNanos) {
        if (elapsedNanos > 0) {
            durations.record(elapsedNanos, TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public void onFailure(Policy policy, Attributes attributes, long permits, LimiterException failure) {
        policies.get(policy.name()).failed();
    }

    @Override
    public void onHoldFailure(InFlightPolicy policy, Attributes attributes, long permits, LimiterException failure) {
        policies.get(policy.name()).failed();
    }

    @Override
    public void onHoldLost(InFlightPolicy policy, Attributes attributes, long permits, Hold hold) {
        policies.get(policy.name()).lostHold();
    }

    @Override
    public void onHealthChange(Health before, Health now, String reason) {
        degraded.set(!now.callsRedis());
    }
}
