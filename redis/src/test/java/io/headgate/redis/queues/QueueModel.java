package io.headgate.redis.queues;

import io.headgate.queues.Enqueued;
import io.headgate.queues.KeepDone;
import io.headgate.queues.Priority;
import io.headgate.queues.Settled;
import io.headgate.queues.inspect.JobState;
import io.headgate.redis.queues.ModelJob.State;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A model of a queue that is as plain as possible: a list of jobs, searched from end to end. */
final class QueueModel {

    private final long maxJobs;
    private final int maxCrashes;
    private final KeepDone keepDone;
    private final List<ModelJob> jobs = new ArrayList<>();
    /** Which waiting or leased job has a key, and which was done last. */
    private final Map<String, ModelJob> owners = new HashMap<>();

    private final Map<String, ModelJob> doneOwners = new HashMap<>();
    private int leases;
    boolean paused;

    QueueModel(long maxJobs, int maxCrashes, KeepDone keepDone) {
        this.keepDone = keepDone;
        this.maxJobs = maxJobs;
        this.maxCrashes = maxCrashes;
    }

    /** Whether the queue has room for {@code more} jobs. */
    boolean fits(int more) {
        return count(State.WAITING) + count(State.LEASED) + more <= maxJobs;
    }

    /** Enqueues a job; nothing when the queue is full. */
    Optional<Enqueued.Outcome> enqueue(
            String payload, Priority priority, @Nullable String key, boolean replaces, long due, long now) {
        if (!fits(1)) {
            return Optional.empty();
        }
        ModelJob owner = key == null ? null : owners.get(key);
        ModelJob done = key == null ? null : doneOwners.get(key);
        Enqueued.Outcome outcome = Enqueued.Outcome.ADDED;
        if (!replaces && (owner != null || (done != null && isKept(done, now)))) {
            return Optional.of(Enqueued.Outcome.SAME);
        }
        if (owner != null && owner.state == State.WAITING) {
            owner.state = State.GONE;
            outcome = Enqueued.Outcome.REPLACED;
        }
        ModelJob job = new ModelJob(payload, priority, jobs.size(), key, Math.max(due, now));
        jobs.add(job);
        if (key != null) {
            owners.put(key, job);
        }
        return Optional.of(outcome);
    }

    /** How many jobs have leases that have expired. */
    long expired(long now) {
        return jobs.stream()
                .filter(job -> job.state == State.LEASED && job.expiresAtMicros <= now)
                .count();
    }

    List<ModelJob> claim(int most, long lease, long now) {
        reclaim(now);
        List<ModelJob> claimed = due(now).stream().limit(most).toList();
        claimed.forEach(job -> lease(job, lease, now));
        return claimed;
    }

    /** Makes jobs wait again whose leases have expired, or dead letters of them. */
    void reclaim(long now) {
        for (ModelJob job : jobs) {
            if (job.state == State.LEASED && job.expiresAtMicros <= now) {
                job.crashes++;
                if (job.crashes >= maxCrashes) {
                    bury(job, "its lease expired " + job.crashes + " times", now);
                } else {
                    job.state = State.WAITING;
                }
            }
        }
    }

    /** Leases a job. */
    void lease(ModelJob job, long lease, long now) {
        job.state = State.LEASED;
        job.lease = ++leases;
        job.delivered++;
        job.expiresAtMicros = now + lease;
    }

    /** What may be claimed, by priority, due time and number. */
    List<ModelJob> due(long now) {
        return paused
                ? List.of()
                : jobs.stream()
                        .filter(job -> job.state == State.WAITING && job.dueMicros <= now)
                        .sorted(Comparator.comparing((ModelJob job) -> job.priority)
                                .thenComparing(job -> job.dueMicros)
                                .thenComparing(job -> job.number))
                        .toList();
    }

    /** Whether the lease is held, by which this job was handed out. */
    private static Settled held(ModelJob job, int lease, long now) {
        boolean held = job.state == State.LEASED && job.lease == lease && job.expiresAtMicros > now;
        return held ? Settled.DONE : Settled.LEASE_LOST;
    }

    Settled ack(ModelJob job, int lease, long now) {
        Settled held = held(job, lease, now);
        if (held == Settled.DONE) {
            if (keepDone.isAny()) {
                job.state = State.DONE;
                job.doneAtMicros = now;
            } else {
                job.state = State.GONE;
            }
            freeKey(job);
            if (job.key != null && keepDone.isAny()) {
                doneOwners.put(job.key, job);
            }
        }
        return held;
    }

    /** Whether a job is done, and one of those that are kept. */
    private boolean isKept(ModelJob job, long now) {
        return keptDone(now).contains(job);
    }

    /** The newest jobs that are done, as many as are kept, and none that is too old. */
    List<ModelJob> keptDone(long now) {
        List<ModelJob> done = jobs.stream()
                .filter(job -> job.state == State.DONE)
                .sorted(Comparator.comparing((ModelJob job) -> job.doneAtMicros)
                        .thenComparing(job -> job.number)
                        .reversed())
                .limit(keepDone.max())
                .toList();
        return done.stream()
                .filter(job -> now < job.doneAtMicros + keepDone.time().toNanos() / 1000)
                .toList();
    }

    /** Removes done jobs that are not kept any more, as whatever claims or settles does. */
    void trim(long now) {
        List<ModelJob> kept = keptDone(now);
        jobs.stream()
                .filter(job -> job.state == State.DONE && !kept.contains(job))
                .forEach(job -> {
                    job.state = State.GONE;
                    freeKey(job);
                });
    }

    /** How many keys done jobs have that are kept. */
    long keysOfDone(long now) {
        return keptDone(now).stream()
                .filter(job -> job.key != null && doneOwners.get(job.key) == job)
                .count();
    }

    Settled waitAgain(ModelJob job, int lease, long delay, @Nullable String cause, long now) {
        Settled held = held(job, lease, now);
        if (held == Settled.DONE) {
            job.state = State.WAITING;
            job.dueMicros = delay > 0 ? now + delay : Math.min(job.dueMicros, now);
            if (cause != null) {
                job.failed++;
                job.causes.add(cause);
            }
        }
        return held;
    }

    Settled deadLetter(ModelJob job, int lease, String cause, long now) {
        Settled held = held(job, lease, now);
        if (held == Settled.DONE) {
            bury(job, cause, now);
        }
        return held;
    }

    Settled extend(ModelJob job, int lease, long by, long now) {
        Settled held = held(job, lease, now);
        if (held == Settled.DONE) {
            job.expiresAtMicros = now + by;
        }
        return held;
    }

    boolean cancel(ModelJob job) {
        if (job.state != State.WAITING) {
            return false;
        }
        job.state = State.GONE;
        freeKey(job);
        return true;
    }

    boolean reschedule(ModelJob job, long due, long now) {
        if (job.state != State.WAITING) {
            return false;
        }
        job.dueMicros = Math.max(due, now);
        return true;
    }

    /** Has a dead letter wait again, if it is one; nothing when it is, and the queue is full. */
    Optional<Boolean> redrive(ModelJob job, long due) {
        if (job.state != State.DEAD) {
            return Optional.of(false);
        }
        if (!fits(1)) {
            return Optional.empty();
        }
        job.state = State.WAITING;
        job.dueMicros = due;
        job.failed = 0;
        job.crashes = 0;
        if (job.key != null) {
            owners.putIfAbsent(job.key, job);
        }
        return Optional.of(true);
    }

    /** Has dead letters wait again, as many as there is room for; nothing when there are some, and room for none. */
    Optional<Integer> redriveOldest(int most, long spacing, long now) {
        List<ModelJob> dead = in(JobState.Kind.DEAD, now);
        long room = Math.max(0, maxJobs - count(State.WAITING) - count(State.LEASED));
        if (!dead.isEmpty() && room == 0) {
            return Optional.empty();
        }
        List<ModelJob> redriven = dead.stream().limit(Math.min(most, room)).toList();
        for (int i = 0; i < redriven.size(); i++) {
            redrive(redriven.get(i), now + i * spacing);
        }
        return Optional.of(redriven.size());
    }

    boolean discard(ModelJob job) {
        boolean dead = job.state == State.DEAD;
        job.state = dead ? State.GONE : job.state;
        return dead;
    }

    private void bury(ModelJob job, String cause, long now) {
        job.state = State.DEAD;
        job.diedAtMicros = now;
        job.causes.add(cause);
        freeKey(job);
    }

    private void freeKey(ModelJob job) {
        if (job.key != null) {
            owners.remove(job.key, job);
            doneOwners.remove(job.key, job);
        }
    }

    /** The job that has the key. */
    ModelJob owner(String key) {
        ModelJob done = doneOwners.get(key);
        return Objects.requireNonNull(done == null ? owners.get(key) : owners.getOrDefault(key, done));
    }

    /** The jobs in a state, in the order in which a page shows them; the order of leased jobs is not specified. */
    List<ModelJob> in(JobState.Kind kind, long now) {
        Comparator<ModelJob> byNumber = Comparator.comparing(job -> job.number);
        Comparator<ModelJob> order =
                switch (kind) {
                    case READY ->
                        Comparator.comparing((ModelJob job) -> job.priority).thenComparing(job -> job.dueMicros);
                    case DELAYED ->
                        Comparator.comparing((ModelJob job) -> job.dueMicros).thenComparing(job -> job.priority);
                    case DEAD -> Comparator.comparing(job -> job.diedAtMicros);
                    case DONE -> Comparator.comparing(job -> job.doneAtMicros);
                    case LEASED -> byNumber;
                };
        return jobs.stream()
                .filter(job -> kind(job, now).equals(Optional.of(kind)))
                .sorted(lanes(kind).thenComparing(order).thenComparing(byNumber))
                .toList();
    }

    /** Waiting jobs are shown tenant by tenant. */
    private static Comparator<ModelJob> lanes(JobState.Kind kind) {
        boolean waiting = kind == JobState.Kind.READY || kind == JobState.Kind.DELAYED;
        return Comparator.comparing(job -> waiting ? job.tenant : "");
    }

    /** Which state a job is in, if there is the job. */
    static Optional<JobState.Kind> kind(ModelJob job, long now) {
        return switch (job.state) {
            case WAITING -> Optional.of(job.dueMicros <= now ? JobState.Kind.READY : JobState.Kind.DELAYED);
            case LEASED -> Optional.of(JobState.Kind.LEASED);
            case DEAD -> Optional.of(JobState.Kind.DEAD);
            case DONE -> Optional.of(JobState.Kind.DONE);
            case GONE -> Optional.empty();
        };
    }

    /** Removes the first jobs that wait, as a purge does, or dead letters; how many. */
    int purge(JobState.Kind kind, int most, long now) {
        List<ModelJob> removed = in(kind, now).stream()
                .sorted(lanes(kind).thenComparing(job -> kind == JobState.Kind.DELAYED ? job.priority : Priority.HIGH))
                .limit(most)
                .toList();
        removed.forEach(job -> {
            job.state = State.GONE;
            freeKey(job);
        });
        return removed.size();
    }

    /** The job that was added last. */
    ModelJob last() {
        return jobs.get(jobs.size() - 1);
    }

    long count(State state) {
        return jobs.stream().filter(job -> job.state == state).count();
    }

    long ready(long now) {
        return jobs.stream()
                .filter(job -> job.state == State.WAITING && job.dueMicros <= now)
                .count();
    }
}
