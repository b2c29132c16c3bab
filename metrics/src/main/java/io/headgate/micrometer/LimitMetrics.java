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
 * Redis, the used share of the fullest key of each policy, bans, and whether the engine is degraded. No tag has an id of a request.
 *
 * <pre>{@code
 * new LimitMetrics(limits).bindTo(registry);
 * }</pre>
 *
 * <p>The first {@value #DEFAULT_MAX_POLICIES} policies have meters of their own; further ones share those of the policy {@code other}. A
 * registry has the meters of one engine: give the meters of several engines the same tags with different values. Safe for use by any number
 * of threads.
 */
public final class LimitMetrics implements MeterBinder, AutoCloseable {

    /** The number of policies with meters of their own, by default. */
    public static final int DEFAULT_MAX_POLICIES = 500;

    private final LimitEngine engine;
    private final Tags tags;
    private final int maxPolicies;
    private final List<Runnable> closing = new CopyOnWriteArrayList<>();

    /** Creates the meters of an engine. They count from {@link #bindTo} on. */
    public LimitMetrics(LimitEngine engine) {
        this(engine, Tags.empty(), DEFAULT_MAX_POLICIES);
    }

    /**
     * Creates the meters of an engine. They count from {@link #bindTo} on.
     *
     * @param tags further tags of all meters, such as the name of one of several engines
     * @param maxPolicies the number of policies with meters of their own: 1 to 100 000
     */
    public LimitMetrics(LimitEngine engine, Iterable<Tag> tags, int maxPolicies) {
        this.engine = Objects.requireNonNull(engine, "engine");
        this.tags = Tags.of(tags);
        this.maxPolicies = TagValues.requireMax("maxPolicies", maxPolicies);
    }

    /** Adds the meters to a registry. You can add them to several registries. */
    @Override
    public void bindTo(MeterRegistry registry) {
        for (BanEntry.Kind kind : BanEntry.Kind.values()) {
            Gauge bans = Gauge.builder(
                            "headgate.bans", engine, limits -> limits.bans().count(kind))
                    .description("Bans and exemptions of operators in force")
                    .tags(tags.and("kind", TagValues.of(kind)))
                    .strongReference(true)
                    .register(registry);
            closing.add(() -> registry.remove(bans));
        }
        DegradedTime degraded = DegradedTime.bind(
                registry, tags.and("engine", "limits"), () -> !engine.health().callsRedis());
        LimitMeters meters = new LimitMeters(registry, tags, maxPolicies, degraded);
        meters.register(engine.policies());
        engine.addListener(meters);
        closing.add(() -> engine.removeListener(meters));
        closing.add(degraded::close);
    }

    /** Stops counting, and removes the meters of bans. The other meters remain in their registries. */
    @Override
    public void close() {
        closing.forEach(Runnable::run);
        closing.clear();
    }
}
