package io.headgate.redis.queues.internal.queue;

import io.headgate.queues.AsyncDeadLetters;
import io.headgate.queues.Codec;
import io.headgate.queues.DeadLetter;
import io.headgate.queues.DeadLetterIds;
import io.headgate.queues.JobId;
import io.headgate.queues.QueueFullException;
import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.inspect.Page;
import io.headgate.queues.internal.JobBounds;
import io.headgate.queues.internal.QueueEvents;
import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.redis.internal.script.ScriptExecutor;
import io.headgate.redis.queues.internal.durability.WriteResult;
import io.headgate.redis.queues.internal.durability.Writes;
import io.headgate.redis.queues.internal.job.JobRecord;
import io.headgate.redis.queues.internal.job.Times;
import io.headgate.redis.queues.internal.queue.QueuePlanner.RedriveReply;
import io.headgate.redis.queues.internal.queue.QueuePlanner.Selection;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The non-blocking dead letters of a queue on Redis, or of one of its shards. */
public record RedisAsyncDeadLetters<T>(
        QueuePlanner planner, Codec<T> codec, ScriptExecutor executor, Writes writes, QueueEvents events)
        implements AsyncDeadLetters<T> {

    @Override
    public CompletableFuture<Page<DeadLetter<T>>> list(Cursor from, int max) {
        return executor.execute(planner.deadLetters(from, checkedMax(max), JobRecord::all))
                .thenApply(page ->
                        new Page<>(page.items().stream().map(this::decoded).toList(), page.next()));
    }

    @Override
    public CompletableFuture<DeadLetterIds> ids(Cursor from, int max) {
        return idPage(from, max).thenApply(page -> new DeadLetterIds(page.items(), page.next(), Optional.empty()));
    }

    /** Returns a page of ids, which fails if the queue or shard cannot be read. */
    public CompletableFuture<Page<DeadLetterIds.Id>> idPage(Cursor from, int max) {
        return executor.execute(planner.deadLetterIds(from, checkedMax(max)))
                .thenApply(
                        page -> new Page<>(page.items().stream().map(this::id).toList(), page.next()));
    }

    private DeadLetterIds.Id id(JobRecord record) {
        return new DeadLetterIds.Id(record.id(planner.keys().shard()), Times.instant(record.dueMicros()));
    }

    private DeadLetter<T> decoded(JobRecord record) {
        return new DeadLetter<>(record.decodeIdle(codec, planner.keys().shard()), Times.instant(record.dueMicros()));
    }

    @Override
    public CompletableFuture<Optional<DeadLetter<T>>> find(JobId id, Instant diedAt) {
        return executor.execute(planner.deadLetter(id, diedAt)).thenApply(record -> record.map(this::decoded));
    }

    @Override
    public CompletableFuture<Boolean> redrive(JobId id) {
        return redrive(Selection.of(id));
    }

    @Override
    public CompletableFuture<Boolean> redrive(JobId id, Instant diedAt) {
        return redrive(Selection.of(id, diedAt));
    }

    private CompletableFuture<Boolean> redrive(Selection one) {
        return redriven(planner.redrive(1, Duration.ZERO, one)).thenApply(redriven -> requireRoom(redriven) > 0);
    }

    @Override
    public CompletableFuture<Integer> redriveOldest(int max, Duration spacing) {
        return redriven(checkedMax(max), JobBounds.spacing(spacing)).thenApply(this::requireRoom);
    }

    /** Redrives the oldest dead letters; a full queue is a result, not a failure. */
    public CompletableFuture<WriteResult<RedriveReply>> redriven(int max, Duration spacing) {
        return redriven(planner.redrive(max, spacing, Selection.OLDEST));
    }

    private CompletableFuture<WriteResult<RedriveReply>> redriven(ScriptCall<RedriveReply> call) {
        return writes.write(call).thenApply(written -> {
            events.redriven(written.reply().redriven());
            return written;
        });
    }

    private int requireRoom(WriteResult<RedriveReply> written) {
        if (written.reply().full()) {
            throw QueueFullException.redriving(
                    planner.header(), planner.settings().maxJobs());
        }
        return written.requireConfirmed().redriven();
    }

    @Override
    public CompletableFuture<Boolean> discard(JobId id) {
        return discard(1, Selection.of(id)).thenApply(count -> count > 0);
    }

    @Override
    public CompletableFuture<Boolean> discard(JobId id, Instant diedAt) {
        return discard(1, Selection.of(id, diedAt)).thenApply(count -> count > 0);
    }

    @Override
    public CompletableFuture<Integer> discardOldest(int max) {
        return discard(checkedMax(max), Selection.OLDEST);
    }

    private CompletableFuture<Integer> discard(int max, Selection selection) {
        return writes.execute(planner.discard(max, selection), count -> events.removed(JobState.Kind.DEAD, count));
    }

    /** Returns the number of dead letters of one call if it is from 1 to 500. */
    public static int checkedMax(int max) {
        return (int) JobBounds.inRange("number of dead letters", max, 1, JobBounds.MAX_BATCH);
    }
}
