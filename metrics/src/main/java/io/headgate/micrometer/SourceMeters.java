package io.headgate.micrometer;

import io.headgate.queues.inspect.JobState;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The meters of one queue, stream or group in one registry. Those of rare events appear with the first such event. */
final class SourceMeters {

    /** The upper bounds of the histogram: from the usual delay of a wake-up to a backlog of an hour. */
    private static final Duration[] BUCKETS = {
        Duration.ofMillis(1),
        Duration.ofMillis(5),
        Duration.ofMillis(25),
        Duration.ofMillis(100),
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        Duration.ofSeconds(5),
        Duration.ofSeconds(30),
        Duration.ofMinutes(5),
        Duration.ofHours(1)
    };

    /** What is counted: jobs or entries, and calls that failed. */
    enum Count {
        ADDED("headgate.jobs.enqueued", "result", "added"),
        REPLACED("headgate.jobs.enqueued", "result", "replaced"),
        DUPLICATE("headgate.jobs.enqueued", "result", "duplicate"),
        FULL("headgate.jobs.enqueued", "result", "full"),
        CLAIMED("headgate.jobs.claimed"),
        CRASHED("headgate.jobs.crashed"),
        DONE("headgate.jobs.settled", "outcome", "done"),
        RETRIED("headgate.jobs.settled", "outcome", "retried"),
        HANDED_BACK("headgate.jobs.settled", "outcome", "handed_back"),
        DEAD_LETTERED("headgate.jobs.settled", "outcome", "dead_lettered"),
        LEASES_LOST("headgate.leases.lost"),
        REDRIVEN("headgate.jobs.redriven"),
        REMOVED_READY("headgate.jobs.removed", "state", "ready"),
        REMOVED_DELAYED("headgate.jobs.removed", "state", "delayed"),
        REMOVED_LEASED("headgate.jobs.removed", "state", "leased"),
        REMOVED_DEAD("headgate.jobs.removed", "state", "dead"),
        REMOVED_DONE("headgate.jobs.removed", "state", "done"),
        CANCELLED("headgate.jobs.cancelled"),
        FAILED_CALLS("headgate.queue.calls.failed");

        private static final Map<String, String> DESCRIPTIONS = Map.of(
                "headgate.jobs.enqueued", "Jobs and entries of calls that enqueue or produce",
                "headgate.jobs.claimed", "Jobs and entries that were claimed",
                "headgate.jobs.crashed", "Claimed jobs and entries of which an earlier lease had expired",
                "headgate.jobs.settled", "Jobs and entries by the outcome of their lease",
                "headgate.leases.lost", "Calls on leases that had expired, or whose job was settled before",
                "headgate.jobs.redriven", "Dead letters that were redriven",
                "headgate.jobs.removed", "Jobs and entries that were purged or discarded",
                "headgate.jobs.cancelled", "Waiting jobs that were cancelled",
                "headgate.queue.calls.failed", "Calls to the store that failed");

        private final String meter;
        private final String tag;
        private final String value;

        Count(String meter) {
            this(meter, "", "");
        }

        Count(String meter, String tag, String value) {
            this.meter = meter;
            this.tag = tag;
            this.value = value;
        }

        private Tags tags() {
            return tag.isEmpty() ? Tags.empty() : Tags.of(tag, value);
        }

        static Count removed(JobState.Kind state) {
            return valueOf("REMOVED_" + state);
        }
    }

    private final MeterRegistry registry;
    private final Tags tags;
    private final Map<Count, Counter> counters = new ConcurrentHashMap<>();
    private volatile @Nullable Timer lateness;

    /**
     * Creates the meters of a source.
     *
     * @param registered the counts whose meters are registered now, rather than at their first event
     */
    SourceMeters(MeterRegistry registry, Tags tags, Set<Count> registered) {
        this.registry = registry;
        this.tags = tags;
        registered.forEach(this::counter);
    }

    /** Adds a number, which may be 0, to a counter. */
    void add(Count what, int jobs) {
        if (jobs > 0) {
            counter(what).increment(jobs);
        }
    }

    /** Records how late the latest job of a claim was. */
    void recordLateness(Duration latest) {
        Timer known = lateness;
        if (known == null) {
            // A registry returns the same meter for the same tags.
            known = Timer.builder("headgate.jobs.lateness")
                    .description("Time from when a job was due to its claim, of the most overdue job of each claim")
                    .tags(tags)
                    .serviceLevelObjectives(BUCKETS)
                    .register(registry);
            lateness = known;
        }
        known.record(latest);
    }

    private Counter counter(Count what) {
        Counter known = counters.get(what);
        return known != null ? known : counters.computeIfAbsent(what, this::register);
    }

    private Counter register(Count what) {
        return Counter.builder(what.meter)
                .description(Count.DESCRIPTIONS.get(what.meter))
                .tags(tags.and(what.tags()))
                .register(registry);
    }
}
