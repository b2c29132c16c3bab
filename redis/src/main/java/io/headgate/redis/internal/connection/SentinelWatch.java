package io.headgate.redis.internal.connection;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks the sentinels every second who the primary is, and has connections left that lead elsewhere: the sentinels have a primary that
 * lives cut them only some ten seconds after it was replaced. What a sentinel says counts when it was asked before, for two seconds: one that is
 * back has old news at first.
 */
final class SentinelWatch implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(SentinelWatch.class.getName());
    private static final Duration EVERY = Duration.ofSeconds(1);

    /** From which answer on a sentinel is believed. */
    private static final int BELIEVED_FROM = 3;

    /** For how long it does not look when none could be reached; the client library logs each try. */
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final String redis;
    private final RedisClient client;
    private final RedisURI uri;
    private final Consumer<Collection<?>> closing;
    private final ConnectionTargets<RedisChannelHandler<?, ?>> targets = new ConnectionTargets<>();

    private volatile @Nullable ScheduledFuture<?> looks;
    private volatile @Nullable StatefulRedisSentinelConnection<String, String> connection;
    private volatile boolean asking;
    private volatile boolean closed;
    private volatile long notBeforeNanos = System.nanoTime();

    // Used while asking, so by one thread at a time.
    private int answers;
    private @Nullable InetSocketAddress known;
    private Set<InetAddress> knownAddresses = Set.of();

    /**
     * One of connections that are made from now on, which does not look yet.
     *
     * @param redis which Redis it is, for the log
     * @param uri names the sentinels, and the primary that they know
     * @param closing closes these connections
     */
    SentinelWatch(String redis, RedisClient client, RedisURI uri, Consumer<Collection<?>> closing) {
        this.redis = redis;
        this.client = client;
        this.uri = uri;
        this.closing = closing;
        client.addListener(new Noting());
    }

    /** Begins to look. */
    void begin() {
        EventExecutor thread = client.getResources().eventExecutorGroup().next();
        looks = thread.scheduleWithFixedDelay(this::look, 0, EVERY.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Notes where connections lead that send calls. */
    private final class Noting implements RedisConnectionStateListener {

        @Override
        public void onRedisConnected(RedisChannelHandler<?, ?> handler, SocketAddress address) {
            if (handler instanceof StatefulRedisConnection<?, ?>
                    && !(handler instanceof StatefulRedisPubSubConnection<?, ?>)
                    && address instanceof InetSocketAddress to) {
                targets.connected(handler, to);
            }
        }

        @Override
        public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
            targets.disconnected(handler);
        }
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
            answers = 0;
            connection = opened;
            if (closed) {
                opened.closeAsync();
            }
            ask(opened);
        });
    }

    private void ask(StatefulRedisSentinelConnection<String, String> there) {
        there.async().getMasterAddrByName(uri.getSentinelMasterId()).whenComplete((address, problem) -> {
            try {
                if (!(address instanceof InetSocketAddress primary) || !isBelieved() || isSettled(primary)) {
                    asking = false;
                } else if (isAddress(primary.getHostString())) {
                    compare(primary);
                } else {
                    // To find out what a name means may take its time, and this thread has other work.
                    inBackground(() -> compare(primary));
                }
            } catch (RuntimeException | Error e) {
                LOG.log(Level.DEBUG, "where connections to " + redis + " lead was not compared", e);
                asking = false;
            }
        });
    }

    private boolean isBelieved() {
        answers = Math.min(BELIEVED_FROM, answers + 1);
        return answers == BELIEVED_FROM;
    }

    private boolean isSettled(InetSocketAddress primary) {
        return targets.isSettled(primary, primary.equals(known) ? knownAddresses : Set.of());
    }

    private static boolean isAddress(String host) {
        return NetUtil.isValidIpV4Address(host) || NetUtil.isValidIpV6Address(host);
    }

    private static void inBackground(Runnable comparing) {
        Thread thread = new Thread(comparing, "headgate-sentinels");
        thread.setDaemon(true);
        thread.start();
    }

    private void compare(InetSocketAddress primary) {
        try {
            knownAddresses = Set.copyOf(List.of(InetAddress.getAllByName(primary.getHostString())));
            known = primary;
            if (!closed && !isSettled(primary)) {
                LOG.log(Level.INFO, redis + " has its primary at " + primary + "; connections to another are left");
                closing.accept(targets.toClose(primary, knownAddresses));
            }
        } catch (UnknownHostException e) {
            LOG.log(Level.DEBUG, "where " + primary + " is, is not known", e);
        } finally {
            asking = false;
        }
    }

    @Override
    public void close() {
        closed = true;
        ScheduledFuture<?> there = looks;
        if (there != null) {
            there.cancel(false);
        }
        StatefulRedisSentinelConnection<String, String> asked = connection;
        if (asked != null) {
            asked.closeAsync();
        }
    }
}
