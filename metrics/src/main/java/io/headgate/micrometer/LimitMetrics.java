package io.headgate.micrometer;

import io.headgate.limits.LimitEngine;
import io.headgate.limits.LimitEngine.Load;
import io.headgate.limits.bans.BanEntry;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * Binds the meters of an engine of limits: requests by policy, outcome and basis, denials by rule, the duration of decisions that called
 * Redis, the used share of the fullest key of each policy, the load of the engine, bans, and whether the engine is degraded.
 * No tag has an id of a request.
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
            bindGauge(
                    registry,
                    "headgate.bans",
                    "Bans and exemptions of operators in force",
                    tags.and("kind", TagValues.of(kind)),
                    limits -> limits.bans().count(kind));
        }
        bindLoad(
                registry,
                "headgate.requests.waiting",
                "Requests that wait for permits or holds",
                Load::waitingRequests);
        bindLoad(registry, "headgate.permits.held", "Permits of holds without tickets", Load::heldPermits);
        bindLoad(registry, "headgate.leased.ids", "Ids for which permits are leased", Load::leasedIds);
        bindLoad(
                registry,
                "headgate.unsynced.ids",
                "Ids of rules whose permits were admitted without Redis, and are not charged there yet",
                Load::unsyncedIds);
        DegradedTime degraded = DegradedTime.bind(
                registry, tags.and("engine", "limits"), () -> !engine.health().callsRedis());
        LimitMeters meters = new LimitMeters(registry, tags, maxPolicies, degraded);
        meters.register(engine.policies());
        engine.addListener(meters);
        closing.add(() -> engine.removeListener(meters));
        closing.add(degraded::close);
    }

    private void bindLoad(MeterRegistry registry, String name, String description, ToLongFunction<Load> value) {
        bindGauge(registry, name, description, tags, limits -> value.applyAsLong(limits.load()));
    }

    private void bindGauge(
            MeterRegistry registry,
            String name,
            String description,
            Tags tagsOfGauge,
            ToDoubleFunction<LimitEngine> value) {
        Gauge gauge = Gauge.builder(name, engine, value)
                .description(description)
                .tags(tagsOfGauge)
                .strongReference(true)
                .register(registry);
        closing.add(() -> registry.remove(gauge));
    }

    /** Stops counting, and removes the gauges that read the engine. The other meters remain in their registries. */
    @Override
    public void close() {
        closing.forEach(Runnable::run);
        closing.clear();
    }
}
