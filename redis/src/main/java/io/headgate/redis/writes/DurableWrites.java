package io.headgate.redis.writes;

import io.headgate.queues.Durability;
import io.headgate.queues.QueueException;
import io.headgate.redis.internal.Awaiting;
import io.headgate.redis.internal.ClusterLink;
import io.headgate.redis.internal.Failures;
import io.headgate.redis.internal.LettuceExecutor;
import io.headgate.redis.internal.RedisLink;
import io.headgate.redis.internal.SingleLink;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/** What sends writes: a connection of its own for each durability, in a Cluster to each master, opened for the first queue, stream or group that asks for it. */
public final class DurableWrites {

    private final RedisLink link;
    private final Duration timeout;
    private final Failures failures;
    private final ReentrantLock opening = new ReentrantLock();
    private final Map<Confirmation, Writes> opened = new HashMap<>();

    /**
     * Over connections of that link.
     *
     * @param timeout how long an answer may take, beside the confirmation
     * @param failures makes the exceptions, which are {@link QueueException}s
     */
    public DurableWrites(RedisLink link, Duration timeout, Failures failures) {
        this.link = link;
        this.timeout = timeout;
        this.failures = failures;
    }

    /**
     * What sends writes that are to be so durable.
     *
     * @throws QueueException when Redis can't be reached, or can't confirm that
     */
    public Writes of(Durability durability) {
        Optional<Confirmation> confirmation = Confirmation.of(durability);
        if (confirmation.isEmpty()) {
            return Writes.unconfirmed(link.executor());
        }
        opening.lock();
        try {
            Writes there = opened.get(confirmation.get());
            Writes writes = there == null ? open(confirmation.get()) : there;
            opened.put(confirmation.get(), writes);
            return writes;
        } finally {
            opening.unlock();
        }
    }

    private Writes open(Confirmation confirmation) {
        Duration longest = timeout.plus(confirmation.timeout());
        Awaiting awaiting = new Awaiting(longest, failures, link.description());
        if (link instanceof ClusterLink cluster) {
            ClusterWrites writes = new ClusterWrites(cluster, confirmation, longest, failures);
            try {
                writes.tryOut(calls -> tryOut(confirmation, awaiting, calls));
            } catch (RuntimeException e) {
                writes.close();
                throw e;
            }
            return writes;
        }
        LettuceExecutor executor = ((SingleLink) link).another(longest, calls -> tryOut(confirmation, awaiting, calls));
        return new ConfirmedWrites(executor, confirmation, failures);
    }

    private static void tryOut(Confirmation confirmation, Awaiting awaiting, LettuceExecutor executor) {
        try {
            awaiting.await("confirm", () -> confirmation.tryOut(executor));
        } catch (QueueException e) {
            throw new QueueException(
                    "confirm", awaiting.subject(), Confirmation.explained(e.problem()), false, e.getCause());
        }
    }

    /** How long a call may take: one that comes just after another waits for that first, and to enqueue for one in between. */
    public Duration longest(Durability durability) {
        return Confirmation.of(durability)
                .map(confirmation -> timeout.plus(confirmation.timeout()).multipliedBy(3))
                .orElse(timeout);
    }
}
