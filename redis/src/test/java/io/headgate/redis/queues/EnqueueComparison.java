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

/** Enqueues the same jobs in a queue and in its model, compares the results, and maps jobs of the model to their ids in the queue. */
final class EnqueueComparison {

    private static final List<String> KEYS = List.of("k0", "k1", "k2");

    private final JobQueue<String> queue;
    private final QueueModel model;
    private final ManualClock clock;
    private final List<ModelJob> jobs = new ArrayList<>();
    private final Map<ModelJob, JobId> ids = new HashMap<>();

    /** The tenants that jobs may have; an empty name stands for no tenant. */
    private final List<String> tenants;

    EnqueueComparison(JobQueue<String> queue, QueueModel model, ManualClock clock, List<String> tenants) {
        this.tenants = tenants;
        this.queue = queue;
        this.model = model;
        this.clock = clock;
    }

    void enqueue(QueueStep step) {
        String payload = "job" + jobs.size();
        Priority priority = Levels.priority(step.fromLast() % 3);
        long due =
                switch (step.variant() % 3) {
                    case 0 -> now();
                    case 1 -> now() + 100L * step.amount();
                    default -> now() - 2000 + 1000L * step.amount();
                };
        NewJob<String> job = NewJob.of(payload).priority(priority);
        job = step.variant() % 3 == 1 ? job.after(micros(100L * step.amount())) : job.at(Times.instant(due));
        String key = step.variant() > 5 ? KEYS.get(step.amount() % 3) : null;
        boolean replaces = step.variant() > 8;
        if (key != null) {
            job = replaces ? job.replacing(key) : job.once(key);
        }
        if (step.fromLast() > 7) {
            // Each group has keys of its own; a group changes nothing for a job without a key.
            String group = "g" + step.fromLast() % 2;
            job = job.group(group);
            key = key == null ? null : group + " " + key;
        }
        String tenant = tenants.get((step.variant() + step.amount()) % tenants.size());
        if (!tenant.isEmpty()) {
            job = job.tenant(tenant);
            key = key == null ? null : tenant + ": " + key;
        }
        Optional<Enqueued.Outcome> expected = model.enqueue(payload, priority, key, replaces, due, now());
        NewJob<String> given = job;
        Optional<Enqueued> got = ModelComparison.unlessFull(() -> queue.enqueue(given));
        assertThat(got.map(Enqueued::outcome)).isEqualTo(expected);
        if (got.isPresent() && got.get().outcome() == Enqueued.Outcome.SAME) {
            assertThat(got.get().id()).isEqualTo(id(model.owner(Objects.requireNonNull(key))));
        } else if (got.isPresent()) {
            ModelJob added = model.lastAdded();
            added.tenant = tenant;
            jobs.add(added);
            ids.put(added, got.get().id());
        }
    }

    /** Enqueues several jobs of one priority that are due immediately, all or none. */
    void enqueueBatch(QueueStep step) {
        Priority priority = Levels.priority(step.fromLast() % 3);
        List<NewJob<String>> batch = new ArrayList<>();
        // With large payloads, the records of a claim are stored in several parts.
        String padding = "x".repeat(step.variant() % 3 == 0 ? 800 : 0);
        for (int i = 0; i <= step.amount(); i++) {
            NewJob<String> job =
                    NewJob.of("job" + jobs.size() + "." + i + padding).priority(priority);
            String tenant = tenantInBatch(step, i);
            batch.add(tenant.isEmpty() ? job : job.tenant(tenant));
        }
        boolean fits = model.hasRoomFor(batch.size());
        List<Enqueued> got =
                ModelComparison.unlessFull(() -> queue.enqueueAll(batch)).orElse(List.of());
        assertThat(got).hasSize(fits ? batch.size() : 0);
        for (int i = 0; i < got.size(); i++) {
            model.enqueue(batch.get(i).payload(), priority, null, false, now(), now());
            model.lastAdded().tenant = tenantInBatch(step, i);
            jobs.add(model.lastAdded());
            ids.put(model.lastAdded(), got.get(i).id());
        }
    }

    /** Half of the batches have only one tenant. */
    private String tenantInBatch(QueueStep step, int index) {
        return tenants.get((step.variant() + (step.variant() % 2 == 0 ? 0 : index)) % tenants.size());
    }

    /** Returns the job that a step selects; nothing if there is none yet. */
    Optional<ModelJob> selected(QueueStep step) {
        return jobs.isEmpty()
                ? Optional.empty()
                : Optional.of(jobs.get(Math.max(0, jobs.size() - 1 - step.fromLast())));
    }

    /** Returns the job of the model with the given id. */
    ModelJob byId(JobId id) {
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
