package io.headgate.redis.queues.internal.durability;

import io.headgate.queues.Durability;
import io.headgate.queues.QueueException;
import io.headgate.redis.internal.cluster.ClusterLink;
import io.headgate.redis.internal.connection.BlockingCalls;
import io.headgate.redis.internal.connection.Failures;
import io.headgate.redis.internal.connection.LettuceExecutor;
import io.headgate.redis.internal.connection.RedisLink;
import io.headgate.redis.internal.connection.RedisProblems;
import io.headgate.redis.internal.connection.SingleLink;
import io.lettuce.core.RedisBusyException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisLoadingException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The {@link Writes} of an engine, one for each durability. A durability gets a separate connection when the first queue, stream or group
 * uses it; in a Cluster, a connection to each master. Safe for use by several threads.
 */
public final class DurableWrites {

    private final RedisLink link;
    private final Duration timeout;
    private final Failures failures;
    private final Map<Confirmation, CompletableFuture<Writes>> opened = new ConcurrentHashMap<>();

    /**
     * Creates writes over additional connections of the link.
     *
     * @param timeout the timeout of a call, without the confirmation
     * @param failures creates the exceptions, which are {@link QueueException}s
     */
    public DurableWrites(RedisLink link, Duration timeout, Failures failures) {
        this.link = link;
        this.timeout = timeout;
        this.failures = failures;
    }

    /**
     * Returns the writes of a durability. While Redis is unreachable and no connection is required, the calls of these writes fail.
     *
     * @throws QueueException when Redis is unreachable and a connection is required, when it rejects the connection, for example its
     *     password, or when it can't confirm this durability
     */
    public Writes of(Durability durability) {
        Optional<Confirmation> confirmation = Confirmation.of(durability);
        if (confirmation.isEmpty()) {
            return Writes.unconfirmed(link.executor());
        }
        CompletableFuture<Writes> own = new CompletableFuture<>();
        CompletableFuture<Writes> earlier = opened.putIfAbsent(confirmation.get(), own);
        if (earlier != null) {
            return awaitOpened(earlier);
        }
        try {
            own.complete(open(confirmation.get()));
        } catch (RuntimeException | Error e) {
            opened.remove(confirmation.get(), own);
            own.completeExceptionally(e);
        }
        return awaitOpened(own);
    }

    /** Waits for the connection; only callers of the same durability wait for each other. */
    private static Writes awaitOpened(CompletableFuture<Writes> opening) {
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
        // Of a call with its confirmation.
        Duration maxTime = timeout.plus(confirmation.timeout());
        if (link instanceof ClusterLink cluster) {
            return open(cluster, confirmation, maxTime);
        }
        LettuceExecutor executor = ((SingleLink) link).openExtra(maxTime, calls -> probe(confirmation, maxTime, calls));
        return new ConfirmedWrites(executor, confirmation, failures);
    }

    private Writes open(ClusterLink cluster, Confirmation confirmation, Duration maxTime) {
        ClusterWrites writes = new ClusterWrites(cluster, confirmation, maxTime, failures);
        try {
            if (link.isRequired() || link.executor().isConnected()) {
                writes.probe(calls -> probe(confirmation, maxTime, calls));
            }
        } catch (RuntimeException e) {
            if (isFatal(e)) {
                writes.close();
                throw e;
            }
        }
        return writes;
    }

    private void probe(Confirmation confirmation, Duration maxTime, LettuceExecutor executor) {
        try {
            new BlockingCalls(maxTime, failures, link.description())
                    .await("confirm", () -> confirmation.probe(executor));
        } catch (QueueException e) {
            if (isFatal(e)) {
                throw new QueueException(
                        "confirm", link.description(), Confirmation.explained(e.problem()), false, e.getCause());
            }
        }
    }

    /** Whether retrying is useless: a connection is required, or Redis rejected it or can't confirm writes, as opposed to an outage. */
    private boolean isFatal(RuntimeException problem) {
        return link.isRequired()
                || RedisProblems.isRefusal(problem)
                || (problem.getCause() instanceof RedisCommandExecutionException answer
                        && !(answer instanceof RedisLoadingException)
                        && !(answer instanceof RedisBusyException));
    }

    /**
     * Returns the maximum duration of a call. A call waits for the group of calls in flight and for its own, see {@link ConfirmedWrites};
     * an enqueue may wait for one more group, because its batcher sends one call at a time.
     */
    public Duration callTimeout(Durability durability) {
        return Confirmation.of(durability)
                .map(confirmation -> timeout.plus(confirmation.timeout()).multipliedBy(3))
                .orElse(timeout);
    }
}
