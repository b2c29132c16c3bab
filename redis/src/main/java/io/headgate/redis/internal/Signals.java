package io.headgate.redis.internal;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Hears what is published for those who wait, such as that a job is due sooner than they expected, over a connection of its own,
 * which is opened when somebody listens first. A signal may be lost, and only shortens a wait; after each reconnect, everybody
 * is called, since one may have been. In a Cluster any node tells all that is published, so another one is listened to when that is gone.
 */
public final class Signals implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(Signals.class.getName());

    private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final RedisLink link;
    private final ReentrantLock opening = new ReentrantLock();
    private final Map<String, List<Consumer<String>>> listening = new ConcurrentHashMap<>();
    private @Nullable StatefulRedisPubSubConnection<String, String> connection;
    private boolean closed;

    /** Those over a connection that the link opens. */
    public Signals(RedisLink link) {
        this.link = link;
    }

    /**
     * Calls back at each signal on the channel.
     *
     * @param onSignal takes what was published; nothing, as an empty text, when any signal may have been lost
     * @return ends it
     * @throws RuntimeException what the link's failures make of it, when Redis can't be reached
     */
    public Runnable listen(String channel, Consumer<String> onSignal) {
        return listen(channel, onSignal, () -> {});
    }

    private Runnable listen(String channel, Consumer<String> onSignal, Runnable whenListening) {
        opening.lock();
        try {
            if (closed) {
                return () -> {};
            }
            if (connection == null) {
                connection = connect();
            }
            List<Consumer<String>> there = listening.computeIfAbsent(channel, none -> new CopyOnWriteArrayList<>());
            there.add(onSignal);
            connection.async().subscribe(channel).thenRun(whenListening);
            return () -> there.remove(onSignal);
        } finally {
            opening.unlock();
        }
    }

    private StatefulRedisPubSubConnection<String, String> connect() {
        StatefulRedisPubSubConnection<String, String> opened = link.connectPubSub();
        opened.addListener(new Hearing());
        opened.addListener(new Reconnecting(opened));
        return opened;
    }

    /**
     * The same in the background: to listen first connects, which blocks, and this may be a thread of the client library's. As
     * signals may have been lost until then, it calls back once when it listens.
     *
     * @param whenNot is run when Redis can't be reached
     */
    public void listenSoon(String channel, Consumer<String> onSignal, Runnable whenNot) {
        try {
            inBackground(() -> {
                try {
                    listen(channel, onSignal, () -> tell(onSignal, ""));
                } catch (RuntimeException e) {
                    LOG.log(Level.DEBUG, "not heard on " + channel, e);
                    whenNot.run();
                }
            });
        } catch (RuntimeException | Error e) {
            // No thread can be had; who only wanted to hear must not fail because of that.
            LOG.log(Level.WARNING, "not heard on " + channel, e);
            whenNot.run();
        }
    }

    private static void inBackground(Runnable connecting) {
        Thread thread = new Thread(connecting, "headgate-signals");
        thread.setDaemon(true);
        thread.start();
    }

    /** Listens at another node instead, as soon as there is one. */
    private void move(StatefulRedisPubSubConnection<String, String> from) {
        for (boolean moved = false; !moved; ) {
            try {
                moved = hasMoved(from);
            } catch (RuntimeException e) {
                LOG.log(Level.DEBUG, "no node to hear signals from", e);
                LockSupport.parkNanos(AGAIN_NANOS);
            }
        }
    }

    @SuppressWarnings("ReferenceEquality") // whether it is the one that is left
    private boolean hasMoved(StatefulRedisPubSubConnection<String, String> from) {
        opening.lock();
        try {
            if (!closed && connection == from) {
                StatefulRedisPubSubConnection<String, String> there = connect();
                connection = there;
                hearAgain(there);
                from.closeAsync();
            }
            return true;
        } finally {
            opening.unlock();
        }
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
        opening.lock();
        try {
            closed = true;
            if (connection != null) {
                connection.close();
            }
        } finally {
            opening.unlock();
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
            if (link.hearsElsewhere()) {
                inBackground(() -> move(connection));
            }
        }
    }
}
