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

/** A model of a queue that is as simple as possible: a list of jobs that each operation searches. */
final class QueueModel {

    private final long maxJobs;
    private final int maxCrashes;
    private final KeepDone keepDone;
    private final List<ModelJob> jobs = new ArrayList<>();
    /** The waiting or leased job of each key. */
    private final Map<String, ModelJob> owners = new HashMap<>();

    /** The last done job of each key. */
    private final Map<String, ModelJob> doneOwners = new HashMap<>();

    private int leases;
    boolean paused;

    QueueModel(long maxJobs, int maxCrashes, KeepDone keepDone) {
        this.keepDone = keepDone;
        this.maxJobs = maxJobs;
        this.maxCrashes = maxCrashes;
    }

    /** Whether the queue has room for {@code more} jobs. */
    boolean hasRoomFor(int more) {
        return count(State.WAITING) + count(State.LEASED) + more <= maxJobs;
    }

    /** Enqueues a job, and returns the outcome; nothing when the queue is full. */
    Optional<Enqueued.Outcome> enqueue(
            String payload, Priority priority, @Nullable String key, boolean replaces, long due, long now) {
        if (!hasRoomFor(1)) {
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

    /** Returns the number of expired leases. */
    long expiredLeases(long now) {
        return jobs.stream()
                .filter(job -> job.state == State.LEASED && job.expiresAtMicros <= now)
                .count();
    }

    List<ModelJob> claim(int max, long lease, long now) {
        reclaim(now);
        List<ModelJob> claimed = due(now).stream().limit(max).toList();
        claimed.forEach(job -> lease(job, lease, now));
        return claimed;
    }

    /** Returns jobs whose leases have expired to the queue; a job with too many expired leases becomes a dead letter. */
    void reclaim(long now) {
        for (ModelJob job : jobs) {
            if (job.state == State.LEASED && job.expiresAtMicros <= now) {
                job.crashes++;
                if (job.crashes >= maxCrashes) {
                    makeDeadLetter(job, "its lease expired " + job.crashes + " times", now);
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

    /** Returns the jobs that may be claimed, by priority, due time and number. */
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

    /** Returns {@code DONE} if the given lease of a job is still held, otherwise {@code LEASE_LOST}. */
    private static Settled checkLease(ModelJob job, int lease, long now) {
        boolean held = job.state == State.LEASED && job.lease == lease && job.expiresAtMicros > now;
        return held ? Settled.DONE : Settled.LEASE_LOST;
    }

    Settled ack(ModelJob job, int lease, long now) {
        Settled held = checkLease(job, lease, now);
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

    /** Whether a done job is still kept. */
    private boolean isKept(ModelJob job, long now) {
        return keptDone(now).contains(job);
    }

    /** Returns the newest done jobs, within the number and time for which done jobs are kept. */
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

    /** Deletes done jobs that are no longer kept, as each claim and settlement does. */
    void trimDone(long now) {
        List<ModelJob> kept = keptDone(now);
        jobs.stream()
                .filter(job -> job.state == State.DONE && !kept.contains(job))
                .forEach(job -> {
                    job.state = State.GONE;
                    freeKey(job);
                });
    }

    /** Returns the number of keys that kept done jobs own. */
    long keysOfDone(long now) {
        return keptDone(now).stream()
                .filter(job -> job.key != null && doneOwners.get(job.key) == job)
                .count();
    }

    Settled requeue(ModelJob job, int lease, long delay, @Nullable String cause, long now) {
        Settled held = checkLease(job, lease, now);
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
        Settled held = checkLease(job, lease, now);
        if (held == Settled.DONE) {
            makeDeadLetter(job, cause, now);
        }
        return held;
    }

    Settled extend(ModelJob job, int lease, long by, long now) {
        Settled held = checkLease(job, lease, now);
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

    /** Redrives a job if it is a dead letter, and returns whether it was; nothing when the queue is full. */
    Optional<Boolean> redrive(ModelJob job, long due) {
        if (job.state != State.DEAD) {
            return Optional.of(false);
        }
        if (!hasRoomFor(1)) {
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

    /**
     * Redrives dead letters as far as the queue has room, and returns their number; nothing when the queue is full and has dead letters.
     */
    Optional<Integer> redriveOldest(int max, long spacing, long now) {
        List<ModelJob> dead = inState(JobState.Kind.DEAD, now);
        long room = Math.max(0, maxJobs - count(State.WAITING) - count(State.LEASED));
        if (!dead.isEmpty() && room == 0) {
            return Optional.empty();
        }
        List<ModelJob> redriven = dead.stream().limit(Math.min(max, room)).toList();
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

    private void makeDeadLetter(ModelJob job, String cause, long now) {
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

    /** Returns the job that owns the key. */
    ModelJob owner(String key) {
        ModelJob done = doneOwners.get(key);
        return Objects.requireNonNull(done == null ? owners.get(key) : owners.getOrDefault(key, done));
    }

    /** Returns the jobs in a state, in the order of pages; the order of leased jobs is not specified. */
    List<ModelJob> inState(JobState.Kind kind, long now) {
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
                .sorted(byTenant(kind).thenComparing(order).thenComparing(byNumber))
                .toList();
    }

    /** Orders waiting jobs by tenant, as pages do. */
    private static Comparator<ModelJob> byTenant(JobState.Kind kind) {
        boolean waiting = kind == JobState.Kind.READY || kind == JobState.Kind.DELAYED;
        return Comparator.comparing(job -> waiting ? job.tenant : "");
    }

    /** Returns the state of a job; nothing when the job was deleted. */
    static Optional<JobState.Kind> kind(ModelJob job, long now) {
        return switch (job.state) {
            case WAITING -> Optional.of(job.dueMicros <= now ? JobState.Kind.READY : JobState.Kind.DELAYED);
            case LEASED -> Optional.of(JobState.Kind.LEASED);
            case DEAD -> Optional.of(JobState.Kind.DEAD);
            case DONE -> Optional.of(JobState.Kind.DONE);
            case GONE -> Optional.empty();
        };
    }

    /** Purges the first jobs in a state, delayed ones by priority before due time, and returns their number. */
    int purge(JobState.Kind kind, int max, long now) {
        List<ModelJob> removed = inState(kind, now).stream()
                .sorted(byTenant(kind)
                        .thenComparing(job -> kind == JobState.Kind.DELAYED ? job.priority : Priority.HIGH))
                .limit(max)
                .toList();
        removed.forEach(job -> {
            job.state = State.GONE;
            freeKey(job);
        });
        return removed.size();
    }

    /** Returns the job that was added last. */
    ModelJob lastAdded() {
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
