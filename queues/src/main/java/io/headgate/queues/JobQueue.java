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
 * A queue of jobs. It stores each job until it is due, and delivers it under a lease to one worker at a time. A job is
 * delivered at least once: until a worker acknowledges it, it becomes a dead letter, or it is removed.
 *
 * <p>Due jobs of a higher priority are always delivered first. Jobs of one priority are delivered by due time, and jobs with
 * the same due time in the order in which they were enqueued. Redis's clock decides when a job is due. In a queue of several
 * {@linkplain #shards() shards}, all of this holds within a shard. If jobs have {@linkplain NewJob#tenant tenants}, the jobs of
 * one priority are in this order within a tenant.
 *
 * <p>Safe for use by any number of threads. Null arguments throw a {@link NullPointerException}, invalid ones an {@link
 * IllegalArgumentException}; the call then does nothing. Every method that calls the store throws a {@link QueueException} if
 * the store fails or does not reply in time.
 *
 * @param <T> the type of the payload
 */
public interface JobQueue<T> {

    /** Returns the settings with which this queue was opened. */
    QueueSettings settings();

    /** Returns the same queue with calls that do not block. */
    AsyncJobQueue<T> async();

    /** Returns this queue as the source of a worker. You can decorate the source and pass it to {@link Worker#of(JobSource)}. */
    JobSource<T> source();

    /**
     * Returns the current number of shards of the queue: 1 to 64. It can be more than the settings of this process ask for,
     * because another process may have added shards.
     *
     * @see QueueSettings#withShards
     */
    int shards();

    /**
     * Enqueues a job that is due now, with {@link Priority#NORMAL} and without a key.
     *
     * @return the id, with the outcome {@link Enqueued.Outcome#ADDED}
     * @throws QueueFullException if the queue already has {@linkplain QueueSettings#maxJobs() maxJobs} jobs
     */
    default Enqueued enqueue(T payload) {
        return enqueue(NewJob.of(payload));
    }

    /**
     * Enqueues a job that is due after a delay, with {@link Priority#NORMAL} and without a key.
     *
     * @param delay 0 to 3660 days
     * @return the id, with the outcome {@link Enqueued.Outcome#ADDED}
     * @throws QueueFullException if the queue already has {@linkplain QueueSettings#maxJobs() maxJobs} jobs
     */
    default Enqueued enqueue(T payload, Duration delay) {
        return enqueue(NewJob.of(payload).after(delay));
    }

    /**
     * Enqueues a job. The outcome is {@link Enqueued.Outcome#ADDED}, unless the job has a key and the queue already has a job
     * of this key. {@link NewJob#once} then rejects the new job ({@link Enqueued.Outcome#SAME}), and {@link NewJob#replacing}
     * replaces a waiting job ({@link Enqueued.Outcome#REPLACED}).
     *
     * @return the outcome, and the id of the job that is in the queue now
     * @throws QueueFullException if the queue already has {@linkplain QueueSettings#maxJobs() maxJobs} jobs, even if the job would
     *     be rejected as a duplicate or would replace another
     */
    Enqueued enqueue(NewJob<T> job);

    /**
     * Enqueues several jobs in one call, and returns one result for each job.
     *
     * <p>In a queue of one {@linkplain #shards() shard}, all jobs are enqueued or none. In a queue of several shards, each
     * shard enqueues its part of the jobs in a call of its own. Jobs of one {@linkplain NewJob#group group} are in the same
     * part, and so are all jobs that have neither a group nor a key. Each part is enqueued completely or not at all.
     *
     * <p>If some parts are enqueued, or may be, and others fail, a {@link PartialEnqueueException} has the result or failure of
     * each job. Any other {@link QueueException} applies to all jobs.
     *
     * @param jobs 1 to 500 jobs, at most 200 of them with a delay, a due time or a key; at most 512 KiB of payloads, keys and
     *     headers
     * @return the result of each job, in the order of the jobs
     * @throws QueueFullException if the jobs, including duplicates and replacements, would exceed {@linkplain
     *     QueueSettings#maxJobs() maxJobs}; then none was enqueued
     * @throws PartialEnqueueException if the jobs were for several shards, at least one part failed, and another part was
     *     enqueued or any part may have been
     */
    List<Enqueued> enqueueAll(Collection<NewJob<T>> jobs);

    /**
     * Claims up to {@code max} due jobs under a lease. Returns fewer jobs if they are large, and an empty list if no job is due
     * or the queue is paused. Never waits for a job.
     *
     * @param max 1 to 500
     * @param lease how long the lease lasts unless it is extended: 10 ms to 1 day
     */
    List<Lease<T>> claim(int max, Duration lease);

    /**
     * Acknowledges several jobs in one call for each shard. Returns the result of each lease, in the order of the leases.
     *
     * @param leases 1 to 500 leases of jobs of this queue; any other lease throws an {@link IllegalArgumentException}
     */
    List<Settled> ackAll(Collection<Lease<T>> leases);

    /**
     * Removes a waiting job, which is one that is ready or delayed.
     *
     * @return true if the job was removed; false if it is leased, done, dead or unknown, and then nothing changed
     */
    boolean cancel(JobId id);

    /**
     * Changes the due time of a waiting job to a delay from now.
     *
     * @param delay 0 to 3660 days
     * @return true if the due time was changed; false if the job is leased, done, dead or unknown, and then nothing changed
     */
    boolean reschedule(JobId id, Duration delay);

    /**
     * Changes the due time of a waiting job.
     *
     * @param at from 1970 to the end of 2199; a time in the past means now
     * @return true if the due time was changed; false if the job is leased, done, dead or unknown, and then nothing changed
     */
    boolean reschedule(JobId id, Instant at);

    /** Makes a waiting job due now: {@link #reschedule(JobId, Duration)} with a delay of 0. */
    default boolean runNow(JobId id) {
        return reschedule(id, Duration.ZERO);
    }

    /**
     * Returns a job with its state.
     *
     * <p>To find a leased job, this searches up to 100 claims at a time. If the queue has more claims than that, a job that
     * is claimed again during the search may not be found.
     *
     * @return the job; empty if it is unknown, cancelled, removed, or done and not {@linkplain KeepDone kept}
     * @throws RuntimeException the exception of the codec, if it cannot decode the payload
     */
    Optional<StoredJob<T>> find(JobId id);

    /** Returns the first page of {@link #jobs(JobState.Kind, Cursor, int)}. */
    default Page<StoredJob<T>> jobs(JobState.Kind kind, int max) {
        return jobs(kind, Cursor.START, max);
    }

    /**
     * Returns a page of the jobs in a state. Ready jobs are in the order of delivery, and delayed jobs by due time. Leased jobs
     * are listed claim by claim, in the order in which the first lease of each claim expires. Dead letters and done jobs are in
     * the order of their age, the oldest first. In a queue of several shards, one shard is listed after the other; within a
     * shard, ready and delayed jobs are listed tenant by tenant. A job that changes its state or position between two pages may
     * be on both pages, or on neither.
     *
     * @param kind the state
     * @param from {@link Cursor#START}, or {@link Page#next()} of the previous page
     * @param max 1 to 500; the page may have fewer jobs, even if it is not the last one
     * @throws RuntimeException the exception of the codec, if it cannot decode a payload
     */
    Page<StoredJob<T>> jobs(JobState.Kind kind, Cursor from, int max);

    /**
     * Deletes jobs in a state, and frees their job keys. Leased jobs cannot be deleted.
     *
     * @param kind the state; {@link JobState.Kind#LEASED} throws an {@link IllegalArgumentException}
     * @param max 1 to 500; fewer jobs are deleted if they are large
     * @return the number of deleted jobs; to delete all, call again until it is 0
     */
    int purge(JobState.Kind kind, int max);

    /** Returns the dead letters of this queue. Does not call the store. */
    DeadLetters<T> deadLetters();

    /**
     * Checks the consistency of all stored data of the queue: that each job is in one place, and that indexes and counts agree
     * with it. Changes nothing. The queue stays in use meanwhile, because the audit runs in bounded steps. It takes about five
     * seconds for each million jobs. If the header, which is the key with the counts of the queue, is missing or cannot be decoded,
     * the audit reports only that.
     */
    AuditReport audit();

    /**
     * Checks the queue as {@link #audit()} does, and repairs what it finds. No job is lost. A job in two places is kept in one,
     * jobs of an inconsistent claim wait again, and data that cannot be decoded is moved aside. If the header was missing or
     * could not be decoded, the queue is paused afterwards. Run one repair of a queue at a time.
     */
    AuditReport repair();

    /**
     * Stops the delivery of jobs in all processes, until {@link #resume}. Leased jobs stay leased, and jobs can still be
     * enqueued.
     */
    void pause();

    /** Resumes the delivery of jobs after {@link #pause}. */
    void resume();

    /** Returns the number of jobs in each state. */
    QueueCounts counts();
}
