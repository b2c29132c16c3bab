package io.headgate.redis.internal;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Asks the sentinels every second who the primary is, and has the connections to the one before left when it is another: the
 * sentinels have one that lives cut them only some ten seconds after it was replaced. It compares what they say one after the other, and not with where
 * the connections lead: a failover before the first answer, or old news of a sentinel that is back, it does not see.
 */
final class SentinelWatch implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(SentinelWatch.class.getName());
    private static final Duration EVERY = Duration.ofSeconds(1);

    /** For how long it does not look when none could be reached; the client library logs each try. */
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final String redis;
    private final RedisClient client;
    private final RedisURI uri;
    private final Runnable leaving;
    private final ScheduledFuture<?> looks;

    private volatile @Nullable StatefulRedisSentinelConnection<String, String> connection;
    private volatile boolean asking;
    private volatile boolean closed;
    private volatile long notBeforeNanos = System.nanoTime();
    private volatile @Nullable SocketAddress primary;

    private SentinelWatch(String redis, RedisClient client, RedisURI uri, Runnable leaving) {
        this.redis = redis;
        this.client = client;
        this.uri = uri;
        this.leaving = leaving;
        EventExecutor thread = client.getResources().eventExecutorGroup().next();
        this.looks = thread.scheduleWithFixedDelay(this::look, 0, EVERY.toMillis(), TimeUnit.MILLISECONDS);
    }

    /**
     * Begins to look.
     *
     * @param redis which Redis it is, for the log
     * @param uri names the sentinels, and the primary that they know
     * @param leaving leaves the connections that there are
     */
    static SentinelWatch begin(String redis, RedisClient client, RedisURI uri, Runnable leaving) {
        return new SentinelWatch(redis, client, uri, leaving);
    }

    private void look() {
        StatefulRedisSentinelConnection<String, String> there = connection;
        if (there != null && !there.isOpen()) {
            // It would be made again to the same one, which may be gone.
            connection = null;
            there.closeAsync();
            there = null;
        }
        if (closed || asking || System.nanoTime() - notBeforeNanos < 0) {
            return;
        }
        asking = true;
        try {
            if (there == null) {
                connect();
            } else {
                ask(there);
            }
        } catch (RuntimeException e) {
            // It must not be the last look.
            LOG.log(Level.DEBUG, "no sentinel of " + redis + " was asked", e);
            rest();
        }
    }

    private void rest() {
        notBeforeNanos = System.nanoTime() + REST_NANOS;
        asking = false;
    }

    private void connect() {
        client.connectSentinelAsync(StringCodec.UTF8, uri).whenComplete((opened, problem) -> {
            if (opened == null) {
                rest();
                return;
            }
            connection = opened;
            if (closed) {
                opened.closeAsync();
            }
            ask(opened);
        });
    }

    private void ask(StatefulRedisSentinelConnection<String, String> there) {
        there.async().getMasterAddrByName(uri.getSentinelMasterId()).whenComplete((address, problem) -> {
            asking = false;
            if (address != null) {
                heard(address);
            }
        });
    }

    private void heard(SocketAddress now) {
        SocketAddress before = primary;
        primary = now;
        if (before != null && !before.equals(now) && !closed) {
            LOG.log(Level.INFO, redis + " has another primary: " + now + ", was " + before);
            leaving.run();
        }
    }

    @Override
    public void close() {
        closed = true;
        looks.cancel(false);
        StatefulRedisSentinelConnection<String, String> there = connection;
        if (there != null) {
            there.closeAsync();
        }
    }
}
