package io.headgate.redis.queues;

import io.headgate.queues.AsyncDeadLetters;
import io.headgate.queues.Cursor;
import io.headgate.queues.DeadLetter;
import io.headgate.queues.DeadLetters;
import io.headgate.queues.JobId;
import io.headgate.queues.Page;
import io.headgate.redis.internal.Awaiting;
import java.time.Duration;

/** The blocking dead letters of a queue on Redis: waits for the non-blocking ones. */
record RedisDeadLetters<T>(AsyncDeadLetters<T> async, Awaiting awaiting) implements DeadLetters<T> {

    @Override
    public Page<DeadLetter<T>> list(Cursor from, int most) {
        return awaiting.await("dead_letters", () -> async.list(from, most));
    }

    @Override
    public boolean redrive(JobId id) {
        return awaiting.await("redrive", () -> async.redrive(id));
    }

    @Override
    public int redriveOldest(int most, Duration spacing) {
        return awaiting.await("redrive", () -> async.redriveOldest(most, spacing));
    }

    @Override
    public boolean discard(JobId id) {
        return awaiting.await("discard", () -> async.discard(id));
    }

    @Override
    public int discardOldest(int most) {
        return awaiting.await("discard", () -> async.discardOldest(most));
    }
}
