package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.Enqueued;
import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.NewJob;
import io.headgate.queues.Priority;
import io.headgate.redis.queues.internal.job.Levels;
import io.headgate.redis.queues.internal.job.Times;
import io.headgate.testkit.ManualClock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Enqueues jobs in a queue and in the model, and knows which one of the one is which of the other. */
final class EnqueuePlay {

    private static final List<String> KEYS = List.of("k0", "k1", "k2");

    private final JobQueue<String> queue;
    private final QueueModel model;
    private final ManualClock clock;
    private final List<ModelJob> jobs = new ArrayList<>();
    private final Map<ModelJob, JobId> ids = new HashMap<>();

    /** The tenants that jobs may have; the empty name is none. */
    private final List<String> tenants;

    EnqueuePlay(JobQueue<String> queue, QueueModel model, ManualClock clock, List<String> tenants) {
        this.tenants = tenants;
        this.queue = queue;
        this.model = model;
        this.clock = clock;
    }

    void enqueue(QueueStep step) {
        String payload = "job" + jobs.size();
        Priority priority = Levels.priority(step.which() % 3);
        long due =
                switch (step.how() % 3) {
                    case 0 -> now();
                    case 1 -> now() + 100L * step.much();
                    default -> now() - 2000 + 1000L * step.much();
                };
        NewJob<String> job = NewJob.of(payload).priority(priority);
        job = step.how() % 3 == 1 ? job.after(micros(100L * step.much())) : job.at(Times.instant(due));
        String key = step.how() > 5 ? KEYS.get(step.much() % 3) : null;
        boolean replaces = step.how() > 8;
        if (key != null) {
            job = replaces ? job.replacing(key) : job.once(key);
        }
        if (step.which() > 7) {
            // The key is another one in each group; without a key a group changes nothing.
            String group = "g" + step.which() % 2;
            job = job.group(group);
            key = key == null ? null : group + " " + key;
        }
        String tenant = tenants.get((step.how() + step.much()) % tenants.size());
        if (!tenant.isEmpty()) {
            job = job.tenant(tenant);
            key = key == null ? null : tenant + ": " + key;
        }
        Optional<Enqueued.Outcome> expected = model.enqueue(payload, priority, key, replaces, due, now());
        NewJob<String> given = job;
        Optional<Enqueued> got = QueuePlay.unlessFull(() -> queue.enqueue(given));
        assertThat(got.map(Enqueued::outcome)).isEqualTo(expected);
        if (got.isPresent() && got.get().outcome() == Enqueued.Outcome.SAME) {
            assertThat(got.get().id()).isEqualTo(id(model.owner(Objects.requireNonNull(key))));
        } else if (got.isPresent()) {
            ModelJob added = model.last();
            added.tenant = tenant;
            jobs.add(added);
            ids.put(added, got.get().id());
        }
    }

    /** Several jobs that are due at once, of one priority, all or none. */
    void enqueueRun(QueueStep step) {
        Priority priority = Levels.priority(step.which() % 3);
        List<NewJob<String>> run = new ArrayList<>();
        // Large claims are kept in parts.
        String filling = "x".repeat(step.how() % 3 == 0 ? 800 : 0);
        for (int i = 0; i <= step.much(); i++) {
            NewJob<String> job =
                    NewJob.of("job" + jobs.size() + "." + i + filling).priority(priority);
            String tenant = tenantInRun(step, i);
            run.add(tenant.isEmpty() ? job : job.tenant(tenant));
        }
        boolean fits = model.fits(run.size());
        List<Enqueued> got = QueuePlay.unlessFull(() -> queue.enqueueAll(run)).orElse(List.of());
        assertThat(got).hasSize(fits ? run.size() : 0);
        for (int i = 0; i < got.size(); i++) {
            model.enqueue(run.get(i).payload(), priority, null, false, now(), now());
            model.last().tenant = tenantInRun(step, i);
            jobs.add(model.last());
            ids.put(model.last(), got.get(i).id());
        }
    }

    /** Half of the runs are of one tenant. */
    private String tenantInRun(QueueStep step, int index) {
        return tenants.get((step.how() + (step.how() % 2 == 0 ? 0 : index)) % tenants.size());
    }

    /** The job of a step; nothing before there is one. */
    Optional<ModelJob> chosen(QueueStep step) {
        return jobs.isEmpty() ? Optional.empty() : Optional.of(jobs.get(Math.max(0, jobs.size() - 1 - step.which())));
    }

    /** The job with an id. */
    ModelJob of(JobId id) {
        return jobs.stream().filter(job -> id(job).equals(id)).findAny().orElseThrow();
    }

    JobId id(ModelJob job) {
        return Objects.requireNonNull(ids.get(job));
    }

    private long now() {
        return clock.nowMicros();
    }

    private static Duration micros(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }
}
