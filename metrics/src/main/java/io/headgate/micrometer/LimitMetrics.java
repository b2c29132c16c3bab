package io.headgate.micrometer;

import io.headgate.limits.LimitEngine;
import io.headgate.limits.bans.BanEntry;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Binds the meters of an engine of limits: requests by policy, outcome and basis, denials by rule, the duration of decisions that called
 * Redis, how full the fullest key of each policy is, bans, and the health of the engine. No tag has an id of a request.
 *
 * <pre>{@code
 * new LimitMetrics(limits).bindTo(registry);
 * }</pre>
 *
 * <p>The meters of a policy appear with its first request. The first {@value #DEFAULT_MAX_POLICIES} policies have meters of their own;
 * further ones share those of the policy {@code other}. Safe for use by any number of threads.
 */
public final class LimitMetrics implements MeterBinder, AutoCloseable {

    /** The number of policies with meters of their own, by default. */
    public static final int DEFAULT_MAX_POLICIES = 500;

    private final LimitEngine engine;
    private final Tags tags;
    private final int maxPolicies;
    private final List<LimitMeters> bound = new CopyOnWriteArrayList<>();

    /** Creates the meters of an engine, which counts from {@link #bindTo} on. */
    public LimitMetrics(LimitEngine engine) {
        this(engine, Tags.empty(), DEFAULT_MAX_POLICIES);
    }

    /**
     * Creates the meters of an engine, which counts from {@link #bindTo} on.
     *
     * @param tags further tags of all meters, for example the name of one of several engines
     * @param maxPolicies the number of policies with meters of their own: 1 to 100 000
     */
    public LimitMetrics(LimitEngine engine, Iterable<Tag> tags, int maxPolicies) {
        this.engine = Objects.requireNonNull(engine, "engine");
        this.tags = Tags.of(tags);
        this.maxPolicies = Bounds.names("maxPolicies", maxPolicies);
    }

    /** Adds the meters to a registry. The engine counts in each registry to which they were added. */
    @Override
    public void bindTo(MeterRegistry registry) {
        for (BanEntry.Kind kind : BanEntry.Kind.values()) {
            Gauge.builder("headgate.bans", engine, limits -> limits.bans().count(kind))
                    .description("Bans and exemptions of operators in force")
                    .tags(tags.and("kind", Names.of(kind)))
                    .register(registry);
        }
        DegradedTime degraded = DegradedTime.bind(registry, tags.and("engine", "limits"));
        LimitMeters meters = new LimitMeters(registry, tags, maxPolicies, degraded);
        bound.add(meters);
        engine.addListener(meters);
        // After adding the listener, so that no change is missed.
        degraded.set(!engine.health().callsRedis());
    }

    /** Stops counting. The meters remain in their registries. */
    @Override
    public void close() {
        bound.forEach(engine::removeListener);
        bound.clear();
    }
}
