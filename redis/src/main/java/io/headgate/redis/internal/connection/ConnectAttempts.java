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
 * Makes connection attempts that threads wait for. Lettuce never completes an attempt whose client is shut down, so {@link
 * #close} ends all waits.
 */
public final class ConnectAttempts implements AutoCloseable {

    private final Set<CompletableFuture<?>> inFlight = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * Waits for the connection. A connection that is established after the wait has ended is closed. If Redis rejects
     * the connection, the exception has the {@linkplain Handshakes reason}.
     *
     * @throws RuntimeException when the attempt fails or times out, or this object is closed
     */
    @SuppressWarnings("CollectionUndefinedEquality") // futures are compared by identity
    public <C extends StatefulConnection<?, ?>> C await(Supplier<? extends CompletionStage<C>> connecting) {
        CompletableFuture<C> made = new CompletableFuture<>();
        inFlight.add(made);
        try {
            if (closed) {
                throw new IllegalStateException("closed");
            }
            Handshakes.withReason(connecting, () -> !made.isDone()).whenComplete((connection, problem) -> {
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
                // The connection was established just before the interrupt.
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
