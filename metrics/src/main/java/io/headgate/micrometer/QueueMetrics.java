package io.headgate.micrometer;

import io.headgate.queues.QueueEngine;
import io.headgate.queues.QueueHealth;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Binds the meters of an engine of queues: jobs and entries that this process has enqueued, claimed and settled, how late they were
 * claimed, and whether the engine is degraded. No tag has an id or a key of a job.
 *
 * <pre>{@code
 * new QueueMetrics(queues).bindTo(registry);
 * }</pre>
 *
 * <p>The meters of a queue, stream or group appear with its first call. The first {@value #DEFAULT_MAX_QUEUES} of each kind have meters
 * of their own; further ones share those of the queue {@code other}. A registry has the meters of one engine: give the meters of several
 * engines the same tags with different values. Safe for use by any number of threads.
 */
public final class QueueMetrics implements MeterBinder, AutoCloseable {

    /** The number of queues with meters of their own, and of streams and groups, by default. */
    public static final int DEFAULT_MAX_QUEUES = 200;

    private final QueueEngine engine;
    private final Tags tags;
    private final int maxQueues;
    private final List<Runnable> closing = new CopyOnWriteArrayList<>();

    /** Creates the meters of an engine. They count from {@link #bindTo} on. */
    public QueueMetrics(QueueEngine engine) {
        this(engine, Tags.empty(), DEFAULT_MAX_QUEUES);
    }

    /**
     * Creates the meters of an engine. They count from {@link #bindTo} on.
     *
     * @param tags further tags of all meters, such as the name of one of several engines
     * @param maxQueues the number of queues with meters of their own, and of streams and groups: 1 to 100 000
     */
    public QueueMetrics(QueueEngine engine, Iterable<Tag> tags, int maxQueues) {
        this.engine = Objects.requireNonNull(engine, "engine");
        this.tags = Tags.of(tags);
        this.maxQueues = TagValues.requireMax("maxQueues", maxQueues);
    }

    /** Adds the meters to a registry. You can add them to several registries. */
    @Override
    public void bindTo(MeterRegistry registry) {
        DegradedTime degraded = DegradedTime.bind(
                registry, tags.and("engine", "queues"), () -> engine.health() == QueueHealth.UNAVAILABLE);
        QueueMeters meters = new QueueMeters(registry, tags, maxQueues, degraded);
        engine.addListener(meters);
        closing.add(() -> engine.removeListener(meters));
        closing.add(degraded::close);
    }

    /** Stops counting. The meters remain in their registries. */
    @Override
    public void close() {
        closing.forEach(Runnable::run);
        closing.clear();
    }
}
