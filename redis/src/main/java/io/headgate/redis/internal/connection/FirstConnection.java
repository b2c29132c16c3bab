package io.headgate.redis.internal.connection;

import io.headgate.redis.internal.connection.OwnClient.ReconnectDelay;
import io.lettuce.core.api.StatefulConnection;
import java.lang.System.Logger.Level;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Makes a connection that is not there yet in the background, again and again until it is, with the pauses of a reconnect; on
 * a thread of its own, since connecting blocks, which ends with that. From then on the client library keeps the connection.
 *
 * @param <C> what is connected
 */
final class FirstConnection<C extends StatefulConnection<?, ?>> implements Runnable, AutoCloseable {

    private static final System.Logger LOG = System.getLogger(FirstConnection.class.getName());

    private final String redis;
    private final Supplier<C> connecting;
    private final Consumer<C> using;
    private final Thread thread;
    private volatile boolean closed;
    private boolean isRefusalTold;

    private FirstConnection(String what, String redis, Supplier<C> connecting, Consumer<C> using) {
        this.redis = redis;
        this.connecting = connecting;
        this.using = using;
        this.thread = new Thread(this, "headgate-" + what);
    }

    /**
     * Begins to try.
     *
     * @param what what for, to tell the thread by
     * @param redis which Redis it is, for the log
     * @param connecting tries once
     * @param using has the connection from then on, and closes it
     */
    static <C extends StatefulConnection<?, ?>> FirstConnection<C> begin(
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
                tellOnce(e);
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

    /** That it can't be reached is known; that it is there and refuses needs somebody. */
    private void tellOnce(Throwable problem) {
        if (!isRefusalTold && !closed && RedisProblems.isRefusal(problem)) {
            isRefusalTold = true;
            LOG.log(Level.WARNING, redis + " refuses the connection: " + RedisProblems.describeConnect(problem));
        }
    }

    /** Tries no more, and waits for nothing: what is connected to just now is closed as soon as it is there. */
    @Override
    public void close() {
        closed = true;
        // Not interrupted: the client library would go on connecting, and nobody would have what comes of it.
        LockSupport.unpark(thread);
    }
}
