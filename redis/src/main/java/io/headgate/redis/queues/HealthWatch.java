package io.headgate.redis.queues;

import io.headgate.queues.QueueHealth;
import io.headgate.queues.QueueListener;
import io.headgate.queues.internal.QueueEvents;
import io.headgate.redis.internal.connection.RedisLink;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reports changes of the health of an engine to its listeners. From the first listener on, it checks the state of the connection ten
 * times a second, without a call to Redis. Safe for use by several threads.
 */
final class HealthWatch implements AutoCloseable {

    private static final long PERIOD_MILLIS = 100;

    private final RedisLink link;
    private final List<QueueListener> listeners;
    private volatile boolean closed;

    /** Guarded by this object's lock, as is the last health. */
    private @Nullable ScheduledFuture<?> checks;

    private QueueHealth last;

    HealthWatch(RedisLink link, List<QueueListener> listeners) {
        this.link = link;
        this.listeners = listeners;
        this.last = health();
    }

    QueueHealth health() {
        return !closed && link.executor().isConnected() ? QueueHealth.HEALTHY : QueueHealth.UNAVAILABLE;
    }

    /** Starts the checks, unless they have started. */
    synchronized void start() {
        if (checks == null && !closed) {
            last = health();
            checks = link.executor()
                    .threads()
                    .next()
                    .scheduleWithFixedDelay(this::check, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void check() {
        QueueHealth before;
        QueueHealth now;
        synchronized (this) {
            before = last;
            now = health();
            last = now;
        }
        if (before != now && !closed) {
            String reason = (now == QueueHealth.HEALTHY ? "connected to " : "not connected to ") + link.description();
            QueueEvents.healthChanged(listeners, before, now, reason);
        }
    }

    /** Stops the checks; from now on, the health is {@code UNAVAILABLE}. */
    @Override
    public synchronized void close() {
        closed = true;
        if (checks != null) {
            checks.cancel(false);
        }
    }
}
