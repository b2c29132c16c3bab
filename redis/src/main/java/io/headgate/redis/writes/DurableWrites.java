package io.headgate.redis.writes;

import io.headgate.queues.Durability;
import io.headgate.queues.QueueException;
import io.headgate.redis.internal.Awaiting;
import io.headgate.redis.internal.ClusterLink;
import io.headgate.redis.internal.Failures;
import io.headgate.redis.internal.LettuceExecutor;
import io.headgate.redis.internal.RedisLink;
import io.headgate.redis.internal.RedisProblems;
import io.headgate.redis.internal.SingleLink;
import io.lettuce.core.RedisBusyException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisLoadingException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;

/** What sends writes: a connection of its own for each durability, in a Cluster to each master, opened for the first queue, stream or group that asks for it. */
public final class DurableWrites {

    private final RedisLink link;
    private final Duration timeout;
    private final Failures failures;
    private final Map<Confirmation, CompletableFuture<Writes>> opened = new ConcurrentHashMap<>();

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
     * What sends writes that are to be so durable. Where Redis can't be reached, and need not be, writes fail until it is.
     *
     * @throws QueueException when Redis can't be reached and must be, or can't confirm that
     */
    public Writes of(Durability durability) {
        Optional<Confirmation> confirmation = Confirmation.of(durability);
        if (confirmation.isEmpty()) {
            return Writes.unconfirmed(link.executor());
        }
        CompletableFuture<Writes> own = new CompletableFuture<>();
        CompletableFuture<Writes> others = opened.putIfAbsent(confirmation.get(), own);
        if (others != null) {
            return openedBy(others);
        }
        try {
            own.complete(open(confirmation.get()));
        } catch (RuntimeException | Error e) {
            opened.remove(confirmation.get(), own);
            own.completeExceptionally(e);
        }
        return openedBy(own);
    }

    /** Only who wants the same waits for it, for as long as it takes to connect. */
    private static Writes openedBy(CompletableFuture<Writes> opening) {
        try {
            return opening.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException problem) {
                throw problem;
            }
            throw e;
        }
    }

    private Writes open(Confirmation confirmation) {
        Duration longest = timeout.plus(confirmation.timeout());
        if (link instanceof ClusterLink cluster) {
            return open(cluster, confirmation, longest);
        }
        LettuceExecutor executor = ((SingleLink) link).another(longest, calls -> tryOut(confirmation, longest, calls));
        return new ConfirmedWrites(executor, confirmation, failures);
    }

    private Writes open(ClusterLink cluster, Confirmation confirmation, Duration longest) {
        ClusterWrites writes = new ClusterWrites(cluster, confirmation, longest, failures);
        try {
            if (link.isRequired() || link.executor().isConnected()) {
                writes.tryOut(calls -> tryOut(confirmation, longest, calls));
            }
        } catch (RuntimeException e) {
            if (isFatal(e)) {
                writes.close();
                throw e;
            }
        }
        return writes;
    }

    private void tryOut(Confirmation confirmation, Duration longest, LettuceExecutor executor) {
        try {
            new Awaiting(longest, failures, link.description()).await("confirm", () -> confirmation.tryOut(executor));
        } catch (QueueException e) {
            if (isFatal(e)) {
                throw new QueueException(
                        "confirm", link.description(), Confirmation.explained(e.problem()), false, e.getCause());
            }
        }
    }

    /** What an outage does ends with it; that Redis refuses, or can't confirm, does not. */
    private boolean isFatal(RuntimeException problem) {
        return link.isRequired()
                || RedisProblems.isRefusal(problem)
                || (problem.getCause() instanceof RedisCommandExecutionException answer
                        && !(answer instanceof RedisLoadingException)
                        && !(answer instanceof RedisBusyException));
    }

    /** How long a call may take: one that comes just after another waits for that first, and to enqueue for one in between. */
    public Duration longest(Durability durability) {
        return Confirmation.of(durability)
                .map(confirmation -> timeout.plus(confirmation.timeout()).multipliedBy(3))
                .orElse(timeout);
    }
}
