package io.headgate.micrometer;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.concurrent.TimeUnit;

/** How long an engine has been without Redis since its meters were bound. Safe for use by any number of threads. */
final class DegradedTime {

    private final Clock clock;

    // Guarded by this object.
    private long nanos;
    private long sinceNanos;
    private boolean degraded;

    private DegradedTime(Clock clock) {
        this.clock = clock;
    }

    /** Binds the gauge and the counter of an engine that is healthy until {@link #set} is called. */
    static DegradedTime bind(MeterRegistry registry, Tags tags) {
        DegradedTime time = new DegradedTime(registry.config().clock());
        Gauge.builder("headgate.engine.degraded", time, DegradedTime::now)
                .description("1 while Redis does not reply, otherwise 0")
                .tags(tags)
                .strongReference(true)
                .register(registry);
        FunctionCounter.builder("headgate.engine.degraded.time", time, DegradedTime::seconds)
                .description("Time without replies of Redis")
                .baseUnit("seconds")
                .tags(tags)
                .register(registry);
        return time;
    }

    synchronized void set(boolean now) {
        if (now != degraded) {
            long time = clock.monotonicTime();
            if (degraded) {
                nanos += time - sinceNanos;
            }
            sinceNanos = time;
            degraded = now;
        }
    }

    private synchronized double now() {
        return degraded ? 1 : 0;
    }

    private synchronized double seconds() {
        long total = degraded ? nanos + clock.monotonicTime() - sinceNanos : nanos;
        return (double) total / TimeUnit.SECONDS.toNanos(1);
    }
}
