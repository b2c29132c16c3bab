package io.headgate.micrometer;

import io.headgate.queues.Job;
import io.headgate.queues.worker.WorkerListener;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Records in a registry how long the handlers of a worker take, and how many of them run. No tag has an id or a key of a job. Safe for use
 * by any number of threads.
 *
 * <pre>{@code
 * Worker worker = Worker.of(mails)
 *         .concurrency(10)
 *         .listener(new WorkerMetrics(registry, "mails", 10))
 *         .start(job -> send(job.payload()));
 * }</pre>
 *
 * <p>Give each worker of a process a name of its own, and pass the same instance to a worker that is started again: a registry keeps the
 * gauges of the first instance of a name.
 */
public final class WorkerMetrics implements WorkerListener {

    /** The upper bounds of the histogram: from a quick update to a long report. */
    private static final Duration[] BUCKETS = {
        Duration.ofMillis(1),
        Duration.ofMillis(5),
        Duration.ofMillis(25),
        Duration.ofMillis(100),
        Duration.ofMillis(500),
        Duration.ofSeconds(2),
        Duration.ofSeconds(10),
        Duration.ofMinutes(1),
        Duration.ofMinutes(10)
    };

    private final Timer succeeded;
    private final Timer failed;
    private final AtomicInteger busy = new AtomicInteger();

    /**
     * Registers the meters of a worker.
     *
     * @param worker the name of the worker, such as that of its queue: a tag of the meters
     * @param concurrency how many jobs it handles concurrently, which must be the number that its builder receives: 1 or more
     */
    public WorkerMetrics(MeterRegistry registry, String worker, int concurrency) {
        Objects.requireNonNull(registry, "registry");
        if (concurrency < 1) {
            throw new IllegalArgumentException("concurrency must be at least 1, but was " + concurrency);
        }
        Tags tags = Tags.of("worker", worker);
        this.succeeded = timer(registry, tags.and("outcome", "succeeded"));
        this.failed = timer(registry, tags.and("outcome", "failed"));
        Gauge.builder("headgate.workers.busy", busy, AtomicInteger::get)
                .description("Handlers that run")
                .tags(tags)
                .strongReference(true)
                .register(registry);
        Gauge.builder("headgate.workers.concurrency", () -> concurrency)
                .description("The most handlers that run concurrently")
                .tags(tags)
                .register(registry);
    }

    private static Timer timer(MeterRegistry registry, Tags tags) {
        return Timer.builder("headgate.jobs.handling")
                .description("Time that handlers take")
                .tags(tags)
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
    }

    @Override
    public void onStarted(Job<?> job) {
        busy.incrementAndGet();
    }

    @Override
    public void onHandled(Job<?> job, boolean hasFailed, Duration elapsed) {
        busy.decrementAndGet();
        (hasFailed ? failed : succeeded).record(elapsed);
    }
}
