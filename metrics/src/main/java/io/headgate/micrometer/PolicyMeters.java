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

/** The meters of one policy in one registry. Those of outcomes that are rare appear with the first such outcome. */
final class PolicyMeters {

    /** More rules than a policy has, unless its rules are renamed while the process runs. */
    private static final int MAX_RULES = 64;

    /** The decisions whose rules have the counts of the store, rather than those of a share or none. */
    private static final Set<Basis> BY_COUNTS = EnumSet.of(Basis.COUNTED, Basis.CACHED_DENIAL, Basis.LEASED);

    private static final long UTILIZATION_STEP_MILLIS = 20_000;
    private static final int UTILIZATION_STEPS = 3;

    private final MeterRegistry registry;
    private final Tags tags;

    private final Map<Basis, Counter> allowed = new ConcurrentHashMap<>();
    private final Map<Basis, Counter> denied = new ConcurrentHashMap<>();
    private final Counter failed;
    private final BoundedNames<Counter> denials;
    private final BoundedNames<Counter> shadowDenials;
    private final TimeWindowMax utilization;
    private volatile @Nullable Counter lostHolds;

    PolicyMeters(MeterRegistry registry, Tags tags) {
        this.registry = registry;
        this.tags = tags;
        this.failed = requests("failed", "none");
        this.denials = new BoundedNames<>(MAX_RULES, rule -> denials(rule, "enforced"));
        this.shadowDenials = new BoundedNames<>(MAX_RULES, rule -> denials(rule, "shadow"));
        this.utilization = new TimeWindowMax(registry.config().clock(), UTILIZATION_STEP_MILLIS, UTILIZATION_STEPS);
        // The usual outcomes from the start, so that a rate also counts the first of them.
        requests(true, Basis.COUNTED);
        requests(false, Basis.COUNTED);
        Gauge.builder("headgate.utilization", utilization, TimeWindowMax::poll)
                .description("The largest used share of a limit, of all keys that were requested in the last minute")
                .tags(tags)
                .strongReference(true)
                .register(registry);
    }

    void decided(boolean allows, Basis basis) {
        requests(allows, basis).increment();
    }

    void failed() {
        failed.increment();
    }

    void denied(String rule, boolean shadow) {
        (shadow ? shadowDenials : denials).get(rule).increment();
    }

    /**
     * A rule has this many permits in use.
     *
     * @param limit the limit of the rule; 0 if it allows nothing
     */
    void used(Basis basis, long permits, long limit) {
        if (limit > 0 && BY_COUNTS.contains(basis)) {
            utilization.record(Math.min(1, (double) permits / limit));
        }
    }

    void lostHold() {
        lostHolds().increment();
    }

    /** Returns the counter of lost holds, which only an in-flight policy has. */
    Counter lostHolds() {
        Counter known = lostHolds;
        if (known == null) {
            // A registry returns the same meter for the same tags.
            known = Counter.builder("headgate.holds.lost")
                    .description("Holds that expired before they were released")
                    .tags(tags)
                    .register(registry);
            lostHolds = known;
        }
        return known;
    }

    private Counter requests(boolean allows, Basis basis) {
        Map<Basis, Counter> counters = allows ? allowed : denied;
        Counter known = counters.get(basis);
        return known != null
                ? known
                : counters.computeIfAbsent(basis, key -> requests(allows ? "allowed" : "denied", Names.of(key)));
    }

    private Counter requests(String outcome, String basis) {
        return Counter.builder("headgate.requests")
                .description("Requests for permits or holds")
                .tags(tags.and("outcome", outcome, "basis", basis))
                .register(registry);
    }

    private Counter denials(String rule, String mode) {
        return Counter.builder("headgate.rule.denials")
                .description("Requests that a rule denied, alone or with others, or in shadow mode would have denied")
                .tags(tags.and("rule", rule, "mode", mode))
                .register(registry);
    }
}
