package io.headgate.redis.internal.connection;

import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.api.StatefulConnection;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

/**
 * The connections that threads wait for while they are made. A client that is shut down meanwhile never completes them, so closing
 * this ends all waits.
 */
public final class ConnectAttempts implements AutoCloseable {

    private final Set<CompletableFuture<?>> inFlight = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * Waits for the connection; one that is made after the wait has ended is closed. If Redis refuses it, the {@linkplain Handshakes
     * reason} is in the exception.
     *
     * @throws RuntimeException when it can't be made, which the client library finds out in time, or this is closed
     */
    @SuppressWarnings("CollectionUndefinedEquality") // each is itself only
    public <C extends StatefulConnection<?, ?>> C await(Supplier<? extends CompletionStage<C>> connecting) {
        CompletableFuture<C> made = new CompletableFuture<>();
        inFlight.add(made);
        try {
            if (closed) {
                throw new IllegalStateException("closed");
            }
            Handshakes.heard(connecting, () -> !made.isDone()).whenComplete((connection, problem) -> {
                if (connection == null) {
                    made.completeExceptionally(problem);
                } else if (!made.complete(connection)) {
                    connection.closeAsync();
                }
            });
            return made.get();
        } catch (ExecutionException e) {
            throw new RedisConnectionException("can't connect", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            if (!made.cancel(false)) {
                // It came just before that.
                made.thenAccept(StatefulConnection::closeAsync);
            }
            throw new RedisCommandInterruptedException(e);
        } finally {
            inFlight.remove(made);
        }
    }

    @Override
    public void close() {
        closed = true;
        inFlight.forEach(made -> made.completeExceptionally(new IllegalStateException("closed")));
    }
}
