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
 * Hears what is published for those who wait, such as that a job is due sooner than they expected, over a connection of its own,
 * which is opened when somebody listens first. A signal may be lost, and only shortens a wait; after each reconnect, everybody
 * is called, since one may have been. In a Cluster any node tells all that is published, so another one is listened to when that is gone.
 * Who only listens would never know of a network that drops what it is sent; so something is asked now and then, and a client of
 * the engine's own ends the connection when no answer comes, as any other.
 */
public final class Signals implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(Signals.class.getName());

    private static final long PING_EVERY_SECONDS = 5;

    private final RedisLink link;
    private final Map<String, List<Consumer<String>>> listening = new ConcurrentHashMap<>();

    /** Never held while anything is asked of Redis. */
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock: none of the two before somebody listens, then one of them.
    private @Nullable StatefulRedisPubSubConnection<String, String> connection;
    private @Nullable FirstConnection<?> connecting;
    private @Nullable Future<?> pinging;
    private boolean closed;

    /** Nothing is asked before it has come to something; only who pings knows it. */
    private Future<?> lastPing = CompletableFuture.completedFuture(null);

    /** Those over a connection that the link opens. */
    public Signals(RedisLink link) {
        this.link = link;
    }

    /**
     * Calls back at each signal on the channel. Waits for nothing: where there is no connection, it is made in the background, as soon
     * as Redis is there.
     *
     * @param onSignal takes what was published; nothing, as an empty text, when any signal may have been lost, and so when it
     *     begins to listen
     * @return ends it
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
            // Not on this thread, which may have locks that whoever is called back takes.
            open.async()
                    .subscribe(channel)
                    .thenRunAsync(() -> tell(onSignal, ""), link.executor().threads());
        }
        return () -> there.remove(onSignal);
    }

    /** With the lock. Where no thread can be had, who listens next tries again. */
    private void connect() {
        try {
            connecting = FirstConnection.begin("signals", link.description(), link::connectPubSub, this::use);
        } catch (RuntimeException | Error e) {
            // Who only wants to hear must not fail because of that.
            LOG.log(Level.WARNING, "no signals are heard", e);
        }
    }

    private void use(StatefulRedisPubSubConnection<String, String> opened) {
        opened.addListener(new Hearing());
        opened.addListener(new Reconnecting(opened));
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
        hearAgain(opened);
        if (!opened.isOpen()) {
            // That may have been before it was watched.
            broke(opened);
        }
    }

    /** Whether anybody is there is found out by whoever watches the connection. */
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
            // It would be the last time otherwise.
            LOG.log(Level.DEBUG, "could not ping", e);
        }
    }

    /** Listens at another node instead, as soon as there is one. */
    @SuppressWarnings("ReferenceEquality") // whether it is the one that broke
    private void broke(StatefulRedisPubSubConnection<String, String> broken) {
        if (!link.hearsElsewhere()) {
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

    /** What is published before it listens is lost, so all are told then. */
    private void hearAgain(StatefulRedisPubSubConnection<String, String> there) {
        String[] channels = listening.keySet().toArray(String[]::new);
        if (channels.length > 0) {
            there.async().subscribe(channels).whenComplete((done, problem) -> listening
                    .values()
                    .forEach(all -> all.forEach(listener -> tell(listener, ""))));
        }
    }

    @Override
    public void close() {
        FirstConnection<?> toCome;
        StatefulRedisPubSubConnection<String, String> open;
        Future<?> pings;
        lock.lock();
        try {
            closed = true;
            toCome = connecting;
            open = connection;
            pings = pinging;
        } finally {
            lock.unlock();
        }
        if (pings != null) {
            pings.cancel(false);
        }
        if (toCome != null) {
            toCome.close();
        }
        if (open != null) {
            open.close();
        }
    }

    private final class Hearing extends RedisPubSubAdapter<String, String> {

        @Override
        public void message(String channel, String message) {
            listening.getOrDefault(channel, List.of()).forEach(listener -> tell(listener, message));
        }
    }

    /** What one of them throws must not keep it from the others, nor end the connection. */
    private static void tell(Consumer<String> listener, String message) {
        try {
            listener.accept(message);
        } catch (RuntimeException e) {
            LOG.log(Level.DEBUG, "a signal was not taken", e);
        }
    }

    private final class Reconnecting implements RedisConnectionStateListener {

        private final StatefulRedisPubSubConnection<String, String> connection;

        Reconnecting(StatefulRedisPubSubConnection<String, String> connection) {
            this.connection = connection;
        }

        @Override
        public void onRedisConnected(RedisChannelHandler<?, ?> handler, SocketAddress address) {
            // The client library does so itself only for channels to which it had subscribed before.
            hearAgain(connection);
        }

        @Override
        public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
            broke(connection);
        }
    }
}
