package io.headgate.redis.internal.connection;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Subscribes to Redis Pub/Sub channels and calls listeners, for example when a job is due earlier than its workers
 * expect. The first listener opens a connection for this purpose.
 *
 * <p>A signal, which is a published message, may be lost; it only shortens a wait. After each reconnect all listeners are
 * called with an empty message, because signals may have been lost. Any node of a Cluster delivers all messages, so a broken connection to
 * one is replaced by a connection to another.
 *
 * <p>A connection that only receives would never detect a network that drops its packets. So this class sends a PING
 * every 5 s, and the {@link SilenceWatch} of the engine's own client closes a connection without replies.
 */
public final class Signals implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(Signals.class.getName());

    private static final long PING_EVERY_SECONDS = 5;

    private final RedisLink link;
    private final Map<String, List<Consumer<String>>> listening = new ConcurrentHashMap<>();

    /** Never held during a call to Redis. */
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock: both null before the first listener, then one of them is set, unless no thread could be
    // started.
    private @Nullable StatefulRedisPubSubConnection<String, String> connection;
    private @Nullable FirstConnection<?> connecting;
    private @Nullable Future<?> pinging;
    private boolean closed;

    /** The previous PING; the next one is sent after it has completed. Only used by the thread that pings. */
    private Future<?> lastPing = CompletableFuture.completedFuture(null);

    /** Creates signals over a connection that the link opens when it is needed. */
    public Signals(RedisLink link) {
        this.link = link;
    }

    /**
     * Subscribes a listener to the channel. Does not block: if there is no connection, it is established in the
     * background.
     *
     * @param onSignal receives the published message, or an empty text when signals may have been lost: after each
     *     subscription
     * @return a task that removes the listener
     */
    public Runnable listen(String channel, Consumer<String> onSignal) {
        List<Consumer<String>> there;
        StatefulRedisPubSubConnection<String, String> open;
        lock.lock();
        try {
            if (closed) {
                return () -> {};
            }
            there = listening.computeIfAbsent(channel, none -> new CopyOnWriteArrayList<>());
            there.add(onSignal);
            open = connection;
            if (open == null && connecting == null) {
                connect();
            }
        } finally {
            lock.unlock();
        }
        if (open != null) {
            // On another thread: this one may hold locks that the listener needs.
            open.async()
                    .subscribe(channel)
                    .thenRunAsync(
                            () -> notifyListener(onSignal, ""), link.executor().threads());
        }
        return () -> there.remove(onSignal);
    }

    /** Requires the lock. If no thread can be started, the next listener tries again. */
    private void connect() {
        try {
            connecting = FirstConnection.start("signals", link.description(), link::connectPubSub, this::use);
        } catch (RuntimeException | Error e) {
            // Without signals everything still works with longer waits, so this is no failure of the caller.
            LOG.log(Level.WARNING, "Cannot subscribe to signals; waits take longer until the next listener retries", e);
        }
    }

    private void use(StatefulRedisPubSubConnection<String, String> opened) {
        opened.addListener(new MessageForwarder());
        opened.addListener(new StateListener(opened));
        lock.lock();
        try {
            if (pinging == null && !closed) {
                pinging = link.executor()
                        .threads()
                        .scheduleWithFixedDelay(this::ping, PING_EVERY_SECONDS, PING_EVERY_SECONDS, TimeUnit.SECONDS);
            }
            connecting = null;
            connection = opened;
        } finally {
            lock.unlock();
        }
        resubscribe(opened);
        if (!opened.isOpen()) {
            // The connection may have closed before its state listener was added.
            replaceBroken(opened);
        }
    }

    /** Sends a PING; the {@link SilenceWatch} of the connection closes it if no reply arrives. */
    private void ping() {
        StatefulRedisPubSubConnection<String, String> open;
        lock.lock();
        try {
            open = connection;
        } finally {
            lock.unlock();
        }
        if (open == null || !open.isOpen() || !lastPing.isDone()) {
            return;
        }
        try {
            lastPing = open.async().ping().toCompletableFuture();
        } catch (RuntimeException | Error e) {
            // An exception would end the periodic task.
            LOG.log(Level.DEBUG, "PING on the Pub/Sub connection failed", e);
        }
    }

    /** On a Cluster, closes the broken connection, and connects to another node as soon as one can be reached. */
    @SuppressWarnings("ReferenceEquality") // whether it is the one that broke
    private void replaceBroken(StatefulRedisPubSubConnection<String, String> broken) {
        if (!link.failsOverPubSub()) {
            return;
        }
        lock.lock();
        try {
            if (closed || connection != broken) {
                return;
            }
            connection = null;
            connect();
        } finally {
            lock.unlock();
        }
        broken.closeAsync();
    }

    /**
     * Subscribes to all channels. Messages published before that are lost, so all listeners are called with an empty
     * message.
     */
    private void resubscribe(StatefulRedisPubSubConnection<String, String> there) {
        String[] channels = listening.keySet().toArray(String[]::new);
        if (channels.length > 0) {
            there.async().subscribe(channels).whenComplete((done, problem) -> listening
                    .values()
                    .forEach(all -> all.forEach(listener -> notifyListener(listener, ""))));
        }
    }

    @Override
    public void close() {
        FirstConnection<?> pending;
        StatefulRedisPubSubConnection<String, String> open;
        Future<?> pings;
        lock.lock();
        try {
            closed = true;
            pending = connecting;
            open = connection;
            pings = pinging;
        } finally {
            lock.unlock();
        }
        if (pings != null) {
            pings.cancel(false);
        }
        if (pending != null) {
            pending.close();
        }
        if (open != null) {
            open.close();
        }
    }

    private final class MessageForwarder extends RedisPubSubAdapter<String, String> {

        @Override
        public void message(String channel, String message) {
            listening.getOrDefault(channel, List.of()).forEach(listener -> notifyListener(listener, message));
        }
    }

    /** Calls one listener. An exception neither affects the other listeners nor closes the connection. */
    private static void notifyListener(Consumer<String> listener, String message) {
        try {
            listener.accept(message);
        } catch (RuntimeException e) {
            LOG.log(Level.DEBUG, "A listener of signals failed", e);
        }
    }

    private final class StateListener implements RedisConnectionStateListener {

        private final StatefulRedisPubSubConnection<String, String> connection;

        StateListener(StatefulRedisPubSubConnection<String, String> connection) {
            this.connection = connection;
        }

        @Override
        public void onRedisConnected(RedisChannelHandler<?, ?> handler, SocketAddress address) {
            // Lettuce only restores subscriptions that had succeeded before.
            resubscribe(connection);
        }

        @Override
        public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
            replaceBroken(connection);
        }
    }
}
