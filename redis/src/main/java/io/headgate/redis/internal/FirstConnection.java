package io.headgate.redis.internal;

import io.headgate.redis.internal.OwnClient.ReconnectDelay;
import io.lettuce.core.api.StatefulRedisConnection;
import java.lang.System.Logger.Level;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Connects in the background to a Redis that could not be reached at first, again and again, with the pauses of a reconnect; on
 * a thread of its own, since connecting blocks, which ends with that. From then on the client library keeps the connection.
 */
final class FirstConnection implements Runnable, AutoCloseable {

    private static final System.Logger LOG = System.getLogger(FirstConnection.class.getName());

    private final String redis;
    private final Supplier<StatefulRedisConnection<byte[], byte[]>> connecting;
    private final LettuceExecutor executor;
    private final Thread thread = new Thread(this, "headgate-connect");
    private volatile boolean closed;
    private boolean isRefusalTold;

    private FirstConnection(
            String redis, Supplier<StatefulRedisConnection<byte[], byte[]>> connecting, LettuceExecutor executor) {
        this.redis = redis;
        this.connecting = connecting;
        this.executor = executor;
    }

    /**
     * Begins to try.
     *
     * @param redis which Redis it is, for the log
     * @param connecting tries once
     * @param executor uses the connection
     */
    static FirstConnection begin(
            String redis, Supplier<StatefulRedisConnection<byte[], byte[]>> connecting, LettuceExecutor executor) {
        FirstConnection first = new FirstConnection(redis, connecting, executor);
        first.thread.setDaemon(true);
        first.thread.start();
        return first;
    }

    @Override
    public void run() {
        ReconnectDelay delays = new ReconnectDelay();
        for (long attempt = 1; !closed; attempt++) {
            LockSupport.parkNanos(delays.createDelay(attempt).toNanos());
            try {
                if (!closed) {
                    use(connecting.get());
                    return;
                }
            } catch (RuntimeException e) {
                tellOnce(e);
            }
        }
    }

    private void use(StatefulRedisConnection<byte[], byte[]> connection) {
        boolean isUsed = false;
        try {
            executor.use(connection);
            isUsed = true;
        } finally {
            if (closed || !isUsed) {
                connection.close();
            }
        }
    }

    /** That it can't be reached is known; that it is there and refuses needs somebody. */
    private void tellOnce(RuntimeException problem) {
        if (!isRefusalTold && !closed && RedisProblems.isRefusal(problem)) {
            isRefusalTold = true;
            LOG.log(Level.WARNING, redis + " refuses the connection: " + RedisProblems.describeConnect(problem));
        }
    }

    /** Tries no more. */
    @Override
    public void close() {
        closed = true;
        // Not interrupted: the client library would go on connecting, and nobody would have what comes of it.
        LockSupport.unpark(thread);
    }
}
