package io.headgate.redis.internal.connection;

import io.headgate.redis.internal.connection.OwnClient.ReconnectDelay;
import io.lettuce.core.api.StatefulConnection;
import java.lang.System.Logger.Level;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Tries to connect in the background until it succeeds or is closed, with the backoff of a reconnect. It uses a thread
 * of its own, because connecting blocks; the thread ends with the first success. From then on Lettuce reconnects by
 * itself.
 *
 * @param <C> the type of connection
 */
final class FirstConnection<C extends StatefulConnection<?, ?>> implements Runnable, AutoCloseable {

    private static final System.Logger LOG = System.getLogger(FirstConnection.class.getName());

    private final String redis;
    private final Supplier<C> connecting;
    private final Consumer<C> using;
    private final Thread thread;
    private volatile boolean closed;
    private boolean isRefusalLogged;

    private FirstConnection(String what, String redis, Supplier<C> connecting, Consumer<C> using) {
        this.redis = redis;
        this.connecting = connecting;
        this.using = using;
        this.thread = new Thread(this, "headgate-" + what);
    }

    /**
     * Starts to connect.
     *
     * @param what the purpose, part of the thread's name
     * @param redis the address of the Redis, for the log
     * @param connecting makes one attempt
     * @param using receives the connection and closes it later
     */
    static <C extends StatefulConnection<?, ?>> FirstConnection<C> start(
            String what, String redis, Supplier<C> connecting, Consumer<C> using) {
        FirstConnection<C> first = new FirstConnection<>(what, redis, connecting, using);
        first.thread.setDaemon(true);
        first.thread.start();
        return first;
    }

    @Override
    public void run() {
        ReconnectDelay delays = new ReconnectDelay();
        for (long attempt = 1; !closed; attempt++) {
            try {
                use(connecting.get());
                return;
            } catch (RuntimeException | Error e) {
                logRefusalOnce(e);
            }
            if (!closed) {
                LockSupport.parkNanos(delays.createDelay(attempt).toNanos());
            }
        }
    }

    private void use(C connection) {
        boolean isUsed = false;
        try {
            using.accept(connection);
            isUsed = true;
        } finally {
            if (closed || !isUsed) {
                connection.closeAsync();
            }
        }
    }

    /**
     * Logs a rejected connection once, because only an operator can resolve it. The caller already reports an
     * unreachable Redis.
     */
    private void logRefusalOnce(Throwable problem) {
        if (!isRefusalLogged && !closed && RedisProblems.isRefusal(problem)) {
            isRefusalLogged = true;
            LOG.log(Level.WARNING, redis + " refuses the connection: " + RedisProblems.describeConnect(problem));
        }
    }

    /** Stops the attempts without waiting. A connection that is being established is closed as soon as it is open. */
    @Override
    public void close() {
        closed = true;
        // Not interrupted: Lettuce would continue to connect, and its connection would never be closed.
        LockSupport.unpark(thread);
    }
}
