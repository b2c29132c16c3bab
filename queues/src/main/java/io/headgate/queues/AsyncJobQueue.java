package io.headgate.queues;

import io.headgate.queues.inspect.AuditReport;
import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.inspect.Page;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.queues.inspect.StoredJob;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The asynchronous form of a {@link JobQueue}. Each method that calls the store returns a stage with the result of the blocking method
 * of the same name, and does not block. If the blocking method would throw an exception, the stage fails with it. For an invalid
 * argument, or a payload that the codec cannot encode, the method throws the exception immediately; for an invalid cursor, the stage
 * fails with it. Callbacks of the stages must not block, unless you run them on threads of your own.
 *
 * @param <T> the type of the payload
 */
public interface AsyncJobQueue<T> {

    /** Returns the settings with which this queue was opened. */
    QueueSettings settings();

    /** The asynchronous form of {@link JobQueue#shards()}. */
    CompletionStage<Integer> shards();

    /** The asynchronous form of {@link JobQueue#enqueue(Object)}. */
    default CompletionStage<Enqueued> enqueue(T payload) {
        return enqueue(NewJob.of(payload));
    }

    /** The asynchronous form of {@link JobQueue#enqueue(Object, Duration)}. */
    default CompletionStage<Enqueued> enqueue(T payload, Duration delay) {
        return enqueue(NewJob.of(payload).after(delay));
    }

    /** The asynchronous form of {@link JobQueue#enqueue(NewJob)}. */
    CompletionStage<Enqueued> enqueue(NewJob<T> job);

    /** The asynchronous form of {@link JobQueue#enqueueAll(Collection)}. */
    CompletionStage<List<Enqueued>> enqueueAll(Collection<NewJob<T>> jobs);

    /** The asynchronous form of {@link JobQueue#claim(int, Duration)}. */
    CompletionStage<List<AsyncLease<T>>> claim(int max, Duration lease);

    /** The asynchronous form of {@link JobQueue#ackAll(Collection)}. */
    CompletionStage<List<Settled>> ackAll(Collection<AsyncLease<T>> leases);

    /** The asynchronous form of {@link JobQueue#cancel(JobId)}. */
    CompletionStage<Boolean> cancel(JobId id);

    /** The asynchronous form of {@link JobQueue#reschedule(JobId, Duration)}. */
    CompletionStage<Boolean> reschedule(JobId id, Duration delay);

    /** The asynchronous form of {@link JobQueue#reschedule(JobId, Instant)}. */
    CompletionStage<Boolean> reschedule(JobId id, Instant at);

    /** The asynchronous form of {@link JobQueue#runNow(JobId)}. */
    default CompletionStage<Boolean> runNow(JobId id) {
        return reschedule(id, Duration.ZERO);
    }

    /** The asynchronous form of {@link JobQueue#find(JobId)}. */
    CompletionStage<Optional<StoredJob<T>>> find(JobId id);

    /** The asynchronous form of {@link JobQueue#jobs(JobState.Kind, int)}. */
    default CompletionStage<Page<StoredJob<T>>> jobs(JobState.Kind kind, int max) {
        return jobs(kind, Cursor.START, max);
    }

    /** The asynchronous form of {@link JobQueue#jobs(JobState.Kind, Cursor, int)}. */
    CompletionStage<Page<StoredJob<T>>> jobs(JobState.Kind kind, Cursor from, int max);

    /** The asynchronous form of {@link JobQueue#purge(JobState.Kind, int)}. */
    CompletionStage<Integer> purge(JobState.Kind kind, int max);

    /** The asynchronous form of {@link JobQueue#deadLetters()}. */
    AsyncDeadLetters<T> deadLetters();

    /** The asynchronous form of {@link JobQueue#audit()}. */
    CompletionStage<AuditReport> audit();

    /** The asynchronous form of {@link JobQueue#repair()}. */
    CompletionStage<AuditReport> repair();

    /** The asynchronous form of {@link JobQueue#pause()}. */
    CompletionStage<Void> pause();

    /** The asynchronous form of {@link JobQueue#resume()}. */
    CompletionStage<Void> resume();

    /** The asynchronous form of {@link JobQueue#counts()}. */
    CompletionStage<QueueCounts> counts();
}
