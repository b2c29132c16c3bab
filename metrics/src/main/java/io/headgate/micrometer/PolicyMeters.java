package io.headgate.micrometer;

import io.headgate.limits.Decision.Basis;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.distribution.TimeWindowMax;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The meters of one policy in one registry. Those of rare outcomes appear with the first such outcome. */
final class PolicyMeters {

    /** Twice as many rules as a policy has, as updates may rename them. */
    private static final int MAX_RULES = 32;

    /** The decisions whose rules have the counts of the store, rather than those of a share or none. */
    private static final Set<Basis> BY_COUNTS = EnumSet.of(Basis.COUNTED, Basis.CACHED_DENIAL, Basis.LEASED);

    /** A value remains for 3 to 4 steps. */
    private static final long UTILIZATION_STEP_MILLIS = 20_000;

    private static final int UTILIZATION_STEPS = 4;

    private final MeterRegistry registry;
    private final Tags tags;
    private final Map<Basis, Counter> allowed = new ConcurrentHashMap<>();
    private final Map<Basis, Counter> denied = new ConcurrentHashMap<>();
    private final Counter failed;
    private final MetersByName<Counter> enforcedDenials;
    private final MetersByName<Counter> shadowDenials;
    private final TimeWindowMax utilization;
    private volatile @Nullable Counter lostHolds;

    PolicyMeters(MeterRegistry registry, Tags tags) {
        this.registry = registry;
        this.tags = tags;
        this.failed = requestCounter("failed", "none");
        this.enforcedDenials = new MetersByName<>(MAX_RULES, rule -> denialCounter(rule, "enforced"));
        this.shadowDenials = new MetersByName<>(MAX_RULES, rule -> denialCounter(rule, "shadow"));
        this.utilization = new TimeWindowMax(registry.config().clock(), UTILIZATION_STEP_MILLIS, UTILIZATION_STEPS);
        requestCounter(true, Basis.COUNTED);
        requestCounter(false, Basis.COUNTED);
        Gauge.builder("headgate.utilization", utilization, TimeWindowMax::poll)
                .description("The largest used share of a limit, of all keys that were requested in the last minute")
                .tags(tags)
                .strongReference(true)
                .register(registry);
    }

    void countRequest(boolean admitted, Basis basis) {
        requestCounter(admitted, basis).increment();
    }

    void countFailure() {
        failed.increment();
    }

    void countDenial(String rule, boolean shadow) {
        (shadow ? shadowDenials : enforcedDenials).get(rule).increment();
    }

    /**
     * Records the use of a rule's limit by one key.
     *
     * @param permits the permits in use
     * @param limit the limit; 0 if the rule allows nothing
     */
    void recordUtilization(Basis basis, long permits, long limit) {
        if (limit > 0 && BY_COUNTS.contains(basis)) {
            utilization.record(Math.min(1, (double) permits / limit));
        }
    }

    void countLostHold() {
        registerLostHolds().increment();
    }

    /** Registers the counter of lost holds, which only in-flight policies have, and returns it. */
    Counter registerLostHolds() {
        Counter known = lostHolds;
        if (known == null) {
            // A registry returns the same meter for the same tags.
            known = Counter.builder("headgate.holds.lost")
                    .description("Holds without a ticket that ended before they were released")
                    .tags(tags)
                    .register(registry);
            lostHolds = known;
        }
        return known;
    }

    private Counter requestCounter(boolean admitted, Basis basis) {
        Map<Basis, Counter> counters = admitted ? allowed : denied;
        Counter known = counters.get(basis);
        return known != null
                ? known
                : counters.computeIfAbsent(
                        basis, key -> requestCounter(admitted ? "allowed" : "denied", TagValues.of(key)));
    }

    private Counter requestCounter(String outcome, String basis) {
        return Counter.builder("headgate.requests")
                .description("Requests for permits or holds")
                .tags(tags.and("outcome", outcome, "basis", basis))
                .register(registry);
    }

    private Counter denialCounter(String rule, String mode) {
        return Counter.builder("headgate.rule.denials")
                .description("Requests that a rule denied, alone or with others, or in shadow mode would have denied")
                .tags(tags.and("rule", rule, "mode", mode))
                .register(registry);
    }
}
