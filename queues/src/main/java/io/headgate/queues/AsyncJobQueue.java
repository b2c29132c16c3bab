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
 * A {@link JobQueue} with calls that do not block. Each method returns a stage with the result of its namesake. If the namesake
 * would throw, the stage fails with that exception; an invalid argument throws at once. Callbacks of the stages must not block,
 * unless you run them on threads of your own.
 *
 * @param <T> the type of the payload
 */
public interface AsyncJobQueue<T> {

    /** Returns the settings with which this queue was opened. */
    QueueSettings settings();

    /** {@link JobQueue#shards()}. */
    CompletionStage<Integer> shards();

    /** {@link JobQueue#enqueue(Object)}. */
    default CompletionStage<Enqueued> enqueue(T payload) {
        return enqueue(NewJob.of(payload));
    }

    /** {@link JobQueue#enqueue(Object, Duration)}. */
    default CompletionStage<Enqueued> enqueue(T payload, Duration delay) {
        return enqueue(NewJob.of(payload).after(delay));
    }

    /** {@link JobQueue#enqueue(NewJob)}. */
    CompletionStage<Enqueued> enqueue(NewJob<T> job);

    /** {@link JobQueue#enqueueAll(Collection)}. */
    CompletionStage<List<Enqueued>> enqueueAll(Collection<NewJob<T>> jobs);

    /** {@link JobQueue#claim(int, Duration)}. */
    CompletionStage<List<AsyncLease<T>>> claim(int max, Duration lease);

    /** {@link JobQueue#ackAll(Collection)}. */
    CompletionStage<List<Settled>> ackAll(Collection<AsyncLease<T>> leases);

    /** {@link JobQueue#cancel(JobId)}. */
    CompletionStage<Boolean> cancel(JobId id);

    /** {@link JobQueue#reschedule(JobId, Duration)}. */
    CompletionStage<Boolean> reschedule(JobId id, Duration delay);

    /** {@link JobQueue#reschedule(JobId, Instant)}. */
    CompletionStage<Boolean> reschedule(JobId id, Instant at);

    /** {@link JobQueue#runNow(JobId)}. */
    default CompletionStage<Boolean> runNow(JobId id) {
        return reschedule(id, Duration.ZERO);
    }

    /** {@link JobQueue#find(JobId)}. */
    CompletionStage<Optional<StoredJob<T>>> find(JobId id);

    /** {@link JobQueue#jobs(JobState.Kind, int)}. */
    default CompletionStage<Page<StoredJob<T>>> jobs(JobState.Kind kind, int max) {
        return jobs(kind, Cursor.START, max);
    }

    /** {@link JobQueue#jobs(JobState.Kind, Cursor, int)}. */
    CompletionStage<Page<StoredJob<T>>> jobs(JobState.Kind kind, Cursor from, int max);

    /** {@link JobQueue#purge(JobState.Kind, int)}. */
    CompletionStage<Integer> purge(JobState.Kind kind, int max);

    /** {@link JobQueue#deadLetters()}. */
    AsyncDeadLetters<T> deadLetters();

    /** {@link JobQueue#audit()}. */
    CompletionStage<AuditReport> audit();

    /** {@link JobQueue#repair()}. */
    CompletionStage<AuditReport> repair();

    /** {@link JobQueue#pause()}. */
    CompletionStage<Void> pause();

    /** {@link JobQueue#resume()}. */
    CompletionStage<Void> resume();

    /** {@link JobQueue#counts()}. */
    CompletionStage<QueueCounts> counts();
}
