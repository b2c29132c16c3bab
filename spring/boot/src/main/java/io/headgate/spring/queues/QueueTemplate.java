package io.headgate.spring.queues;

import io.headgate.queues.Enqueued;
import io.headgate.queues.NewJob;
import io.headgate.queues.streams.EntryId;
import io.headgate.queues.streams.NewEntry;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Enqueues jobs and produces entries. Payloads are {@code byte[]}, text as UTF-8, or other objects as JSON. A {@link NewJob} has a due
 * time, priority, key, headers, group and tenant; a {@link NewEntry} a key and headers.
 *
 * <p>A payload that cannot be converted throws an {@link IllegalArgumentException}, and nothing is sent. Failures of the store throw a
 * {@link io.headgate.queues.QueueException}. Safe for use by any number of threads.
 */
public interface QueueTemplate {

    /** Enqueues a job that is due now. */
    default Enqueued enqueue(String queue, Object payload) {
        return enqueue(queue, NewJob.of(payload));
    }

    /**
     * Enqueues a job that is due after a delay.
     *
     * @param delay 0 to 3660 days
     */
    default Enqueued enqueue(String queue, Object payload, Duration delay) {
        return enqueue(queue, NewJob.of(payload).after(delay));
    }

    /** Enqueues a job. */
    Enqueued enqueue(String queue, NewJob<?> job);

    /** Enqueues a job, and does not block. */
    CompletionStage<Enqueued> enqueueAsync(String queue, NewJob<?> job);

    /**
     * Enqueues several jobs in one call, as {@link io.headgate.queues.JobQueue#enqueueAll} does.
     *
     * @param jobs 1 to 500 jobs
     */
    List<Enqueued> enqueueAll(String queue, Collection<? extends NewJob<?>> jobs);

    /** Produces an entry of a stream. */
    default EntryId produce(String stream, Object payload) {
        return produce(stream, NewEntry.of(payload));
    }

    /** Produces an entry of a stream. */
    EntryId produce(String stream, NewEntry<?> entry);

    /** Produces an entry of a stream, and does not block. */
    CompletionStage<EntryId> produceAsync(String stream, NewEntry<?> entry);

    /**
     * Produces several entries of a stream, all or none.
     *
     * @param entries 1 to 500 entries
     */
    List<EntryId> produceAll(String stream, Collection<? extends NewEntry<?>> entries);

    /**
     * Returns a template that sends after the commit of the current transaction, and never after a rollback. Without a transaction, it
     * sends immediately.
     *
     * <p>Payloads are converted by the call. If the process dies between the commit and the call to Redis, or Redis does not reply then,
     * the jobs are lost although the transaction is committed. In the latter case, the committing code gets the {@link
     * io.headgate.queues.QueueException}.
     */
    AfterCommit afterCommit();

    /** Sends after the commit of the current transaction. At most 10 000 jobs and entries wait for one transaction. */
    interface AfterCommit {

        /** Enqueues a job that is due when it is enqueued. */
        default void enqueue(String queue, Object payload) {
            enqueue(queue, NewJob.of(payload));
        }

        /**
         * Enqueues a job that is due after a delay from when it is enqueued.
         *
         * @param delay 0 to 3660 days
         */
        default void enqueue(String queue, Object payload, Duration delay) {
            enqueue(queue, NewJob.of(payload).after(delay));
        }

        /** Enqueues a job. */
        void enqueue(String queue, NewJob<?> job);

        /** Produces an entry of a stream. */
        default void produce(String stream, Object payload) {
            produce(stream, NewEntry.of(payload));
        }

        /** Produces an entry of a stream. */
        void produce(String stream, NewEntry<?> entry);
    }
}
