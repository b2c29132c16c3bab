package io.headgate.micrometer;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Whether an engine is degraded, and for how long it has been since its meters were bound. A state is counted from when it is first seen:
 * by an event of the engine, or when a registry reads the meters. Safe for use by any number of threads.
 */
final class DegradedTime {

    private final BooleanSupplier degraded;
    private final Clock clock;

    // Guarded by this object.
    private long nanos;
    private long sinceNanos;
    private boolean counting;
    private boolean closed;

    private DegradedTime(BooleanSupplier degraded, Clock clock) {
        this.degraded = degraded;
        this.clock = clock;
    }

    /**
     * Binds the gauge and the counter of an engine.
     *
     * @param degraded returns whether it is degraded now
     */
    static DegradedTime bind(MeterRegistry registry, Tags tags, BooleanSupplier degraded) {
        DegradedTime time = new DegradedTime(degraded, registry.config().clock());
        Gauge.builder("headgate.engine.degraded", time, state -> state.update() ? 1 : 0)
                .description("1 while the engine does not use Redis, otherwise 0")
                .tags(tags)
                .strongReference(true)
                .register(registry);
        FunctionCounter.builder("headgate.engine.degraded.time", time, DegradedTime::seconds)
                .description("Time in which the engine did not use Redis")
                .baseUnit("seconds")
                .tags(tags)
                .register(registry);
        time.update();
        return time;
    }

    /** Reads the state of the engine, and counts the time since it became degraded. Returns whether it is. */
    synchronized boolean update() {
        boolean now = !closed && degraded.getAsBoolean();
        long time = clock.monotonicTime();
        if (counting) {
            nanos += time - sinceNanos;
        }
        sinceNanos = time;
        counting = now;
        return now;
    }

    private synchronized double seconds() {
        update();
        return (double) nanos / TimeUnit.SECONDS.toNanos(1);
    }

    /** Counts no more time; the engine is no longer degraded. */
    synchronized void close() {
        update();
        closed = true;
        counting = false;
    }
}
