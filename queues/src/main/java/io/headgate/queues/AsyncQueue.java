package io.headgate.queues;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A {@link Queue} that is asked without blocking: each method answers what its namesake does, and fails with what that one
 * throws; a bad argument is refused at once. What is done with an answer must not block, unless it is done on a thread of
 * the caller's.
 *
 * @param <T> what a payload is
 */
public interface AsyncQueue<T> {

    /** The name of the queue, and its bounds. */
    QueueSettings settings();

    /** {@link Queue#shards()}. */
    CompletionStage<Integer> shards();

    /** {@link Queue#enqueue(Object)}. */
    default CompletionStage<JobId> enqueue(T payload) {
        return enqueue(NewJob.of(payload)).thenApply(Enqueued::id);
    }

    /** {@link Queue#enqueue(Object, Duration)}. */
    default CompletionStage<JobId> enqueue(T payload, Duration delay) {
        return enqueue(NewJob.of(payload).after(delay)).thenApply(Enqueued::id);
    }

    /** {@link Queue#enqueue(NewJob)}. */
    CompletionStage<Enqueued> enqueue(NewJob<T> job);

    /** {@link Queue#enqueueAll(Collection)}. */
    CompletionStage<List<Enqueued>> enqueueAll(Collection<NewJob<T>> jobs);

    /** {@link Queue#claim(int, Duration)}. */
    CompletionStage<List<AsyncLease<T>>> claim(int most, Duration lease);

    /** {@link Queue#ackAll(Collection)}. */
    CompletionStage<List<Settled>> ackAll(Collection<AsyncLease<T>> leases);

    /** {@link Queue#cancel(JobId)}. */
    CompletionStage<Boolean> cancel(JobId id);

    /** {@link Queue#reschedule(JobId, Duration)}. */
    CompletionStage<Boolean> reschedule(JobId id, Duration delay);

    /** {@link Queue#reschedule(JobId, Instant)}. */
    CompletionStage<Boolean> reschedule(JobId id, Instant at);

    /** {@link Queue#runNow(JobId)}. */
    default CompletionStage<Boolean> runNow(JobId id) {
        return reschedule(id, Duration.ZERO);
    }

    /** {@link Queue#find(JobId)}. */
    CompletionStage<Optional<StoredJob<T>>> find(JobId id);

    /** {@link Queue#jobs(JobState.Kind, int)}. */
    default CompletionStage<Page<StoredJob<T>>> jobs(JobState.Kind kind, int most) {
        return jobs(kind, Cursor.START, most);
    }

    /** {@link Queue#jobs(JobState.Kind, Cursor, int)}. */
    CompletionStage<Page<StoredJob<T>>> jobs(JobState.Kind kind, Cursor from, int most);

    /** {@link Queue#purge(JobState.Kind, int)}. */
    CompletionStage<Integer> purge(JobState.Kind kind, int most);

    /** {@link Queue#deadLetters()}. */
    AsyncDeadLetters<T> deadLetters();

    /** {@link Queue#audit()}. */
    CompletionStage<AuditReport> audit();

    /** {@link Queue#repair()}. */
    CompletionStage<AuditReport> repair();

    /** {@link Queue#pause()}. */
    CompletionStage<Void> pause();

    /** {@link Queue#resume()}. */
    CompletionStage<Void> resume();

    /** {@link Queue#counts()}. */
    CompletionStage<QueueCounts> counts();
}
