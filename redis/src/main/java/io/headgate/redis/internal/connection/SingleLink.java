package io.headgate.redis.internal.connection;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The connection to one Redis, by a client of the engine's own or by the application's, and what sends calls over it. */
public final class SingleLink implements RedisLink {

    private final String description;
    private final @Nullable RedisClient ownClient;
    private final RedisClient client;
    private final Failures failures;
    private final LettuceExecutor executor;
    private final Optional<FirstConnection<?>> first;
    private final Optional<String> unreached;
    private final ConnectionSettings settings;
    private final Optional<SentinelWatch> sentinels;
    private final List<LettuceExecutor> others = new CopyOnWriteArrayList<>();
    private final List<FirstConnection<?>> othersToCome = new CopyOnWriteArrayList<>();
    private final ConnectAttempts attempts = new ConnectAttempts();
    private volatile boolean closed;

    public SingleLink(ConnectionSettings settings, Failures failures) {
        RedisClient given = settings.client();
        this.description = given == null ? address(settings.uri()) : "Redis, by the application's client";
        this.ownClient = given == null ? OwnClient.of(settings) : null;
        this.failures = failures;
        this.settings = settings;
        this.client = ownClient == null ? Objects.requireNonNull(given) : ownClient;
        this.executor = calls(settings.timeout());
        this.sentinels = ownClient == null || settings.uri().getSentinels().isEmpty()
                ? Optional.empty()
                : Optional.of(new SentinelWatch(description, client, settings.uri(), this::reconnect));
        this.unreached = connect();
        sentinels.ifPresent(SentinelWatch::begin);
        this.first = unreached.map(why -> connectLater(this::connectOnce, executor));
    }

    private LettuceExecutor calls(Duration timeout) {
        return new LettuceExecutor(
                client.getResources().eventExecutorGroup(),
                timeout,
                settings.maxInFlightCalls(),
                failures,
                new AtomicInteger(),
                new ReplicaFailover());
    }

    private FirstConnection<?> connectLater(
            Supplier<StatefulRedisConnection<byte[], byte[]>> connecting, LettuceExecutor calls) {
        return FirstConnection.begin("connect", description, connecting, calls::use);
    }

    private void reconnect(Collection<?> connections) {
        executor.reconnect(connections);
        others.forEach(other -> other.reconnect(connections));
    }

    @Override
    public Optional<String> unreached() {
        return unreached;
    }

    @Override
    public LettuceExecutor executor() {
        return executor;
    }

    @Override
    public boolean isRequired() {
        return settings.requiresConnection();
    }

    /**
     * Opens another connection, which is closed with this, and returns what sends calls over it. Where Redis can't be reached, and
     * need not be, that fails calls until the connection is there, which is made in the background.
     *
     * @param timeout how long to wait for an answer there
     * @param tryOut is called with it first, where the connection is there at once; when that throws, it is closed again
     * @throws RuntimeException what the failures make of it, when Redis can't be reached and must be, or refuses
     */
    public LettuceExecutor another(Duration timeout, Consumer<LettuceExecutor> tryOut) {
        LettuceExecutor calls = calls(timeout);
        if (connectsNow(calls)) {
            try {
                tryOut.accept(calls);
            } catch (RuntimeException e) {
                calls.close();
                throw e;
            }
        } else {
            othersToCome.add(connectLater(this::connectBesides, calls));
        }
        others.add(calls);
        if (closed) {
            closeOthers();
        }
        return calls;
    }

    private boolean connectsNow(LettuceExecutor calls) {
        if (!isRequired() && !executor.isConnected()) {
            return false;
        }
        try {
            calls.use(connecting(this::connectOnce));
            return true;
        } catch (RuntimeException e) {
            if (settings.isFatal(e)) {
                throw e;
            }
            return false;
        }
    }

    /** Not before the first one, which finds out when there is a Redis. */
    private StatefulRedisConnection<byte[], byte[]> connectBesides() {
        checkConnected();
        return connectOnce();
    }

    private void checkConnected() {
        if (!executor.isConnected()) {
            throw failures.failure("connect", description, "not connected to Redis", false, null);
        }
    }

    @Override
    public StatefulRedisPubSubConnection<String, String> connectPubSub() {
        checkConnected();
        RedisClient own = ownClient;
        return connecting(() -> own == null
                ? client.connectPubSub()
                : attempts.await(() -> own.connectPubSubAsync(StringCodec.UTF8, settings.uri())));
    }

    @Override
    public boolean hearsElsewhere() {
        return false;
    }

    @Override
    public String description() {
        return description;
    }

    @Override
    public void close() {
        closed = true;
        attempts.close();
        first.ifPresent(FirstConnection::close);
        sentinels.ifPresent(SentinelWatch::close);
        executor.close();
        closeOthers();
        if (ownClient != null) {
            OwnClient.shutdown(ownClient);
        }
    }

    private void closeOthers() {
        othersToCome.forEach(FirstConnection::close);
        others.forEach(LettuceExecutor::close);
    }

    private StatefulRedisConnection<byte[], byte[]> connectOnce() {
        RedisClient own = ownClient;
        // The application's knows the URL by itself, and is not shut down here.
        return own == null
                ? client.connect(ByteArrayCodec.INSTANCE)
                : attempts.await(() -> own.connectAsync(ByteArrayCodec.INSTANCE, settings.uri()));
    }

    /** Uses a connection, or says why there is none. */
    private Optional<String> connect() {
        try {
            executor.use(connecting(this::connectOnce));
            return Optional.empty();
        } catch (RuntimeException e) {
            if (!settings.isFatal(e)) {
                return Optional.of(RedisProblems.describeConnect(e));
            }
            if (ownClient != null) {
                OwnClient.shutdown(ownClient);
            }
            throw e;
        }
    }

    private <C> C connecting(Supplier<C> connecting) {
        long begun = System.nanoTime();
        while (true) {
            try {
                return connecting.get();
            } catch (RedisException | IllegalStateException e) {
                boolean isEnd =
                        System.nanoTime() - begun >= settings.uri().getTimeout().toNanos();
                boolean isAgain = ownClient != null && settings.requiresConnection() && RedisProblems.isUnheard(e);
                if (isEnd || !isAgain) {
                    throw failures.failure("connect", description, RedisProblems.describeConnect(e), false, e);
                }
            }
        }
    }

    private static String address(RedisURI uri) {
        String tls = uri.isSsl() ? "rediss" : "redis";
        String database = uri.getDatabase() == 0 ? "" : "/" + uri.getDatabase();
        if (uri.getSentinels().isEmpty()) {
            return tls + "://" + hostAndPort(uri) + database;
        }
        return uri.getSentinels().stream()
                .map(SingleLink::hostAndPort)
                .collect(Collectors.joining(",", tls + "-sentinel://", database + "#" + uri.getSentinelMasterId()));
    }

    private static String hostAndPort(RedisURI uri) {
        return uri.getHost() + ":" + uri.getPort();
    }
}
