package io.headgate.micrometer;

import io.headgate.micrometer.SourceMeters.Count;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueHealth;
import io.headgate.queues.QueueListener;
import io.headgate.queues.inspect.JobState;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.EnumSet;
import java.util.Set;

/** Counts the events of an engine in one registry. */
final class QueueMeters implements QueueListener {

    /** The counts of a source of claims that are 0 rather than absent. */
    private static final Count[] CLAIMS = {
        Count.CLAIMED, Count.CRASHED, Count.DONE, Count.RETRIED, Count.DEAD_LETTERED, Count.LEASES_LOST
    };

    private final MetersByName<SourceMeters> queues;
    private final MetersByName<SourceMeters> streams;
    private final MetersByName<SourceMeters> groups;
    private final DegradedTime degraded;

    QueueMeters(MeterRegistry registry, Tags tags, int maxOfEach, DegradedTime degraded) {
        this.queues = meters(registry, tags.and("kind", "queue"), maxOfEach, EnumSet.of(Count.ADDED, CLAIMS));
        this.streams = meters(registry, tags.and("kind", "stream"), maxOfEach, EnumSet.of(Count.ADDED));
        this.groups = meters(registry, tags.and("kind", "group"), maxOfEach, EnumSet.of(Count.CLAIMED, CLAIMS));
        this.degraded = degraded;
    }

    private static MetersByName<SourceMeters> meters(
            MeterRegistry registry, Tags tags, int max, Set<Count> registered) {
        return new MetersByName<>(max, name -> new SourceMeters(registry, tags.and("queue", name), registered));
    }

    private SourceMeters of(Source source) {
        MetersByName<SourceMeters> meters = streams;
        if (source instanceof Source.OfQueue) {
            meters = queues;
        } else if (source instanceof Source.OfGroup) {
            meters = groups;
        }
        return meters.get(source.name());
    }

    @Override
    public void onEnqueued(Source source, EnqueuedJobs jobs) {
        SourceMeters meters = of(source);
        meters.add(Count.ADDED, jobs.added());
        meters.add(Count.REPLACED, jobs.replaced());
        meters.add(Count.DUPLICATE, jobs.same());
        meters.add(Count.FULL, jobs.full());
    }

    @Override
    public void onClaimed(Source source, ClaimedJobs jobs) {
        SourceMeters meters = of(source);
        meters.add(Count.CLAIMED, jobs.jobs());
        meters.add(Count.CRASHED, jobs.crashed());
        meters.add(Count.DEAD_LETTERED, jobs.deadLettered());
        if (jobs.jobs() > 0) {
            meters.recordLateness(jobs.latest());
        }
    }

    @Override
    public void onSettled(Source source, SettledJobs jobs) {
        SourceMeters meters = of(source);
        meters.add(Count.DONE, jobs.done());
        meters.add(Count.RETRIED, jobs.retried());
        meters.add(Count.HANDED_BACK, jobs.handedBack());
        meters.add(Count.DEAD_LETTERED, jobs.deadLettered());
        meters.add(Count.LEASES_LOST, jobs.lost());
    }

    @Override
    public void onRedriven(Source source, int jobs) {
        of(source).add(Count.REDRIVEN, jobs);
    }

    @Override
    public void onRemoved(Source source, JobState.Kind state, int jobs) {
        of(source).add(Count.removed(state), jobs);
    }

    @Override
    public void onCancelled(Source source) {
        of(source).add(Count.CANCELLED, 1);
    }

    @Override
    public void onFailed(Source source, QueueException failure) {
        of(source).add(Count.FAILED_CALLS, 1);
    }

    @Override
    public void onHealthChange(QueueHealth before, QueueHealth now, String reason) {
        degraded.update();
    }
}
