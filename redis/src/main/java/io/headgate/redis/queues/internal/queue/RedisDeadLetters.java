package io.headgate.redis.queues.internal.queue;

import io.headgate.queues.AsyncDeadLetters;
import io.headgate.queues.DeadLetter;
import io.headgate.queues.DeadLetterIds;
import io.headgate.queues.DeadLetters;
import io.headgate.queues.JobId;
import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.Page;
import io.headgate.redis.internal.connection.BlockingCalls;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** The blocking dead letters of a queue on Redis: waits for the non-blocking ones. */
public record RedisDeadLetters<T>(AsyncDeadLetters<T> async, BlockingCalls blocking) implements DeadLetters<T> {

    @Override
    public Page<DeadLetter<T>> list(Cursor from, int max) {
        return blocking.await("dead_letters", () -> async.list(from, max));
    }

    @Override
    public DeadLetterIds ids(Cursor from, int max) {
        return blocking.await("dead_letter_ids", () -> async.ids(from, max));
    }

    @Override
    public Optional<DeadLetter<T>> find(JobId id, Instant diedAt) {
        return blocking.await("dead_letters", () -> async.find(id, diedAt));
    }

    @Override
    public boolean redrive(JobId id, Instant diedAt) {
        return blocking.await("redrive", () -> async.redrive(id, diedAt));
    }

    @Override
    public boolean discard(JobId id, Instant diedAt) {
        return blocking.await("discard", () -> async.discard(id, diedAt));
    }

    @Override
    public boolean redrive(JobId id) {
        return blocking.await("redrive", () -> async.redrive(id));
    }

    @Override
    public int redriveOldest(int max, Duration spacing) {
        return blocking.await("redrive", () -> async.redriveOldest(max, spacing));
    }

    @Override
    public boolean discard(JobId id) {
        return blocking.await("discard", () -> async.discard(id));
    }

    @Override
    public int discardOldest(int max) {
        return blocking.await("discard", () -> async.discardOldest(max));
    }
}
