package io.headgate.queues;

import io.headgate.queues.inspect.AuditReport;
import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.inspect.Page;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.queues.inspect.StoredJob;
import io.headgate.queues.worker.JobSource;
import io.headgate.queues.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Holds jobs until they are due, and hands each out to one holder of a lease at a time. A job that was enqueued is handed
 * out again and again until somebody says that it is done, or gives it up.
 *
 * <p>Jobs of one priority are handed out in the order in which they are due, and of those that are due at the same time,
 * in the order in which they were enqueued. Time is Redis's.
 *
 * <p>Safe for use by any number of threads. A null argument is refused with a {@link NullPointerException}, a bad one with
 * an {@link IllegalArgumentException}; either way nothing is done. Every method throws a {@link QueueException} when the
 * store can't be asked.
 *
 * @param <T> what a payload is
 */
public interface JobQueue<T> {

    /** The name of the queue, and its bounds. */
    QueueSettings settings();

    /** The same queue, asked without blocking. */
    AsyncJobQueue<T> async();

    /** Returns this queue as the source of a worker. A user may decorate it, and pass that to {@link Worker#of(JobSource)}. */
    JobSource<T> source();

    /**
     * Over how many shards the queue is spread now: as many as somebody has given it, whatever the settings here say.
     *
     * @see QueueSettings#withShards
     */
    int shards();

    /**
     * Enqueues a job that is due now: {@link #enqueue(NewJob)} with the default priority and no key.
     *
     * @return the id, with the outcome {@link Enqueued.Outcome#ADDED}
     * @throws QueueFullException when the queue already has {@linkplain QueueSettings#maxJobs() maxJobs} jobs
     */
    default Enqueued enqueue(T payload) {
        return enqueue(NewJob.of(payload));
    }

    /**
     * Enqueues a job that is due after a delay: {@link #enqueue(NewJob)} with the default priority and no key.
     *
     * @param delay 0 to 3660 days
     * @return the id, with the outcome {@link Enqueued.Outcome#ADDED}
     * @throws QueueFullException when the queue already has {@linkplain QueueSettings#maxJobs() maxJobs} jobs
     */
    default Enqueued enqueue(T payload, Duration delay) {
        return enqueue(NewJob.of(payload).after(delay));
    }

    /**
     * Enqueues a job. A job with a key may replace the waiting job of that key, or be dropped in favor of it; the outcome says
     * which.
     *
     * @return the outcome, and the id of the job that is in the queue now
     * @throws QueueFullException when the queue already has {@linkplain QueueSettings#maxJobs() maxJobs} jobs
     */
    Enqueued enqueue(NewJob<T> job);

    /**
     * Enqueues several jobs, and returns one result for each, on every number of {@linkplain #shards() shards}.
     *
     * <p>Jobs with the same {@linkplain NewJob#group grouping key} are enqueued all or none, and so are those that have neither a
     * grouping key nor a key. In a queue of one shard all jobs of a call are. In a queue of several, each shard has a part of the
     * jobs, and is asked by itself: when some parts are enqueued and others fail, {@link PartialEnqueueException} has the result
     * of each job. Any other exception is that of all jobs.
     *
     * @param jobs 1 to 500, of which at most 200 are due later or have a key; with at most 512 KiB of payloads and what goes
     *     with them
     * @return what became of each, in their order
     * @throws QueueFullException when the queue would have more jobs than it may; none was enqueued
     * @throws PartialEnqueueException when some of the jobs were enqueued and others were not, or may not be
     */
    List<Enqueued> enqueueAll(Collection<NewJob<T>> jobs);

    /**
     * Takes jobs that are due in hand: as many as there are, up to a bound; fewer when they are large. None when the queue
     * is paused, or none is due.
     *
     * @param max how many at most: 1 to 500
     * @param lease for how long: 10 ms to 1 day
     */
    List<Lease<T>> claim(int max, Duration lease);

    /** Acks several jobs in one call; what became of each, in their order. */
    List<Settled> ackAll(Collection<Lease<T>> leases);

    /**
     * Takes a job that waits out of the queue.
     *
     * @return whether it waited; one that is in hand, done, dead or unknown stays what it is
     */
    boolean cancel(JobId id);

    /**
     * Gives a job that waits another due time, after a delay of 0 to 3660 days.
     *
     * @return whether it waited; one that is in hand, done, dead or unknown stays what it is
     */
    boolean reschedule(JobId id, Duration delay);

    /**
     * Gives a job that waits another due time, before the year 2200; one that has passed is now.
     *
     * @return whether it waited; one that is in hand, done, dead or unknown stays what it is
     */
    boolean reschedule(JobId id, Instant at);

    /** Makes a job that waits due now: {@link #reschedule(JobId, Duration)} without a delay. */
    default boolean runNow(JobId id) {
        return reschedule(id, Duration.ZERO);
    }

    /**
     * Looks at a job, wherever it is.
     *
     * <p>To find one that is in hand, the claims are gone through: some hundred jobs of each of up to 100 claims in one step.
     * Where there are more claims, one that changes hands all the while may be missed.
     *
     * @return the job; nothing when it is done and not {@linkplain KeepDone kept}, cancelled, removed or unknown
     * @throws RuntimeException what the codec throws, when it can't decode the payload
     */
    Optional<StoredJob<T>> find(JobId id);

    /** The first page of {@link #jobs(JobState.Kind, Cursor, int)}. */
    default Page<StoredJob<T>> jobs(JobState.Kind kind, int max) {
        return jobs(kind, Cursor.START, max);
    }

    /**
     * Shows the jobs in a state: those that are ready in the order in which they would be handed out, those that are delayed
     * by their due time, those in hand by when their leases end, dead letters and done jobs the oldest first. A job that changes
     * its state or its place between two pages may be on both, or on neither.
     *
     * @param kind which state
     * @param from {@link Cursor#START}, or where the page before said
     * @param max how many to show at most: 1 to 500; fewer when they are large
     * @throws RuntimeException what the codec throws, when it can't decode a payload
     */
    Page<StoredJob<T>> jobs(JobState.Kind kind, Cursor from, int max);

    /**
     * Removes jobs for good: those that are ready or delayed, dead letters, or done jobs that are kept. What is in hand stays there, and a key of a job
     * that is removed is free again.
     *
     * @param kind which; {@link JobState.Kind#LEASED} is refused
     * @param max how many at most: 1 to 500; fewer when they are large
     * @return how many there were; call again until it is 0
     */
    int purge(JobState.Kind kind, int max);

    /** The jobs that were given up. Asks nothing yet. */
    DeadLetters<T> deadLetters();

    /**
     * Proves that each job is in one place and that all that is known of it agrees, in bounded steps, while others go on using
     * the queue. Takes some five seconds for each million jobs, and changes nothing. What is found was so at one instant.
     */
    AuditReport audit();

    /**
     * The same, and mends what it finds. No job is lost: one that was in two places is kept in one, those of a claim that
     * can't be trusted wait again, and what can't be read is set aside. Where the header is gone, the queue is paused
     * afterwards. To be run by one at a time.
     */
    AuditReport repair();

    /** Hands out nothing more until {@link #resume}, in all processes; what is in hand stays there. */
    void pause();

    /** Hands out jobs again. */
    void resume();

    /** How many jobs are in which state. */
    QueueCounts counts();
}
