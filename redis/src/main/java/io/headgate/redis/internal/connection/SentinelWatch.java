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
 * Queries a sentinel every second for the address of the master, and closes connections that lead to another server.
 * Without it, the clients of a former master that still runs would remain connected to it for about ten seconds, until
 * the sentinels disconnect them.
 *
 * <p>A sentinel's replies count only after it has replied for two seconds, because a restarted sentinel reports an
 * outdated master at first.
 */
final class SentinelWatch implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(SentinelWatch.class.getName());
    private static final Duration EVERY = Duration.ofSeconds(1);

    /** The number of replies after which a sentinel is trusted. */
    private static final int TRUSTED_FROM = 3;

    /** The pause after a sentinel could not be reached or queried, because Lettuce logs each attempt. */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final String redis;
    private final RedisClient client;
    private final RedisURI uri;
    private final Consumer<Collection<?>> closing;
    private final ConnectionTargets<RedisChannelHandler<?, ?>> targets = new ConnectionTargets<>();

    private volatile @Nullable ScheduledFuture<?> checks;
    private volatile @Nullable StatefulRedisSentinelConnection<String, String> connection;
    private volatile boolean isChecking;
    private volatile boolean closed;
    private volatile long notBeforeNanos = System.nanoTime();

    // Only used during a check, so by one thread at a time.
    private int replies;
    private @Nullable InetSocketAddress known;
    private Set<InetAddress> knownAddresses = Set.of();

    /**
     * Creates a watch for the connections that the client opens from now on. It does not check yet.
     *
     * @param redis the address of the Redis, for the log
     * @param uri the sentinels and the name of the master
     * @param closing receives the connections to close
     */
    SentinelWatch(String redis, RedisClient client, RedisURI uri, Consumer<Collection<?>> closing) {
        this.redis = redis;
        this.client = client;
        this.uri = uri;
        this.closing = closing;
        client.addListener(new TargetRecorder());
    }

    /** Starts the periodic checks. */
    void start() {
        EventExecutor thread = client.getResources().eventExecutorGroup().next();
        checks = thread.scheduleWithFixedDelay(this::check, 0, EVERY.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Records the addresses of connections that send calls. */
    private final class TargetRecorder implements RedisConnectionStateListener {

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

    private void check() {
        StatefulRedisSentinelConnection<String, String> there = connection;
        if (there != null && !there.isOpen()) {
            // Lettuce would reconnect to the same sentinel, which may be gone.
            connection = null;
            there.closeAsync();
            there = null;
        }
        if (closed || isChecking || System.nanoTime() - notBeforeNanos < 0) {
            return;
        }
        isChecking = true;
        try {
            if (there == null) {
                connect();
            } else {
                query(there);
            }
        } catch (RuntimeException e) {
            // An exception would end the periodic task.
            LOG.log(Level.DEBUG, "Could not query a sentinel of " + redis, e);
            pause();
        }
    }

    private void pause() {
        notBeforeNanos = System.nanoTime() + PAUSE_NANOS;
        isChecking = false;
    }

    private void connect() {
        client.connectSentinelAsync(StringCodec.UTF8, uri).whenComplete((opened, problem) -> {
            if (opened == null) {
                pause();
                return;
            }
            replies = 0;
            connection = opened;
            if (closed) {
                opened.closeAsync();
            }
            query(opened);
        });
    }

    private void query(StatefulRedisSentinelConnection<String, String> there) {
        there.async().getMasterAddrByName(uri.getSentinelMasterId()).whenComplete((address, problem) -> {
            try {
                if (!(address instanceof InetSocketAddress primary) || !isTrusted() || isSettled(primary)) {
                    isChecking = false;
                } else if (isAddress(primary.getHostString())) {
                    compare(primary);
                } else {
                    // On another thread: a DNS lookup blocks, and this thread serves other connections.
                    inBackground(() -> compare(primary));
                }
            } catch (RuntimeException | Error e) {
                LOG.log(Level.DEBUG, "Could not compare the connections to " + redis + " with the reported master", e);
                isChecking = false;
            }
        });
    }

    /** Counts a reply of the sentinel, and returns whether it has replied often enough to be trusted. */
    private boolean isTrusted() {
        replies = Math.min(TRUSTED_FROM, replies + 1);
        return replies == TRUSTED_FROM;
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
                LOG.log(
                        Level.INFO,
                        "The master of " + redis + " is " + primary + "; closing connections to other servers");
                closing.accept(targets.toClose(primary, knownAddresses));
            }
        } catch (UnknownHostException e) {
            LOG.log(Level.DEBUG, "Could not resolve the address of the master " + primary, e);
        } finally {
            isChecking = false;
        }
    }

    @Override
    public void close() {
        closed = true;
        ScheduledFuture<?> there = checks;
        if (there != null) {
            there.cancel(false);
        }
        StatefulRedisSentinelConnection<String, String> open = connection;
        if (open != null) {
            open.closeAsync();
        }
    }
}
