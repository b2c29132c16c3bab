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

/** The connections to a single Redis, with the engine's own client or the application's, and their executors. */
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
    private final List<LettuceExecutor> extraExecutors = new CopyOnWriteArrayList<>();
    private final List<FirstConnection<?>> pendingExtras = new CopyOnWriteArrayList<>();
    private final ConnectAttempts attempts = new ConnectAttempts();
    private volatile boolean closed;

    public SingleLink(ConnectionSettings settings, Failures failures) {
        RedisClient given = settings.client();
        this.description = given == null ? address(settings.uri()) : "the Redis of the application's client";
        this.ownClient = given == null ? OwnClient.of(settings) : null;
        this.failures = failures;
        this.settings = settings;
        this.client = ownClient == null ? Objects.requireNonNull(given) : ownClient;
        this.executor = executorWith(settings.timeout());
        this.sentinels = ownClient == null || settings.uri().getSentinels().isEmpty()
                ? Optional.empty()
                : Optional.of(new SentinelWatch(description, client, settings.uri(), this::reconnect));
        this.unreached = connect();
        sentinels.ifPresent(SentinelWatch::start);
        this.first = unreached.map(why -> connectLater(this::connectOnce, executor));
    }

    private LettuceExecutor executorWith(Duration timeout) {
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
        return FirstConnection.start("connect", description, connecting, calls::use);
    }

    private void reconnect(Collection<?> connections) {
        executor.reconnect(connections);
        extraExecutors.forEach(other -> other.reconnect(connections));
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
     * Opens an additional connection, which is closed together with this link, and returns its executor. If Redis
     * cannot be reached and a connection is not required, calls fail until the connection is established in the
     * background.
     *
     * @param timeout the timeout of calls on that connection
     * @param tryOut is called with the executor if it is connected immediately; when it throws, the connection is closed, and this method
     *     throws the exception
     * @throws RuntimeException an exception of {@link Failures} when Redis cannot be reached although it is required,
     *     or rejects the connection
     */
    public LettuceExecutor openExtra(Duration timeout, Consumer<LettuceExecutor> tryOut) {
        LettuceExecutor calls = executorWith(timeout);
        if (connectsNow(calls)) {
            try {
                tryOut.accept(calls);
            } catch (RuntimeException e) {
                calls.close();
                throw e;
            }
        } else {
            pendingExtras.add(connectLater(this::connectExtra, calls));
        }
        extraExecutors.add(calls);
        if (closed) {
            closeExtras();
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

    /** Connects, but fails until the first connection is open: that one detects when Redis can be reached. */
    private StatefulRedisConnection<byte[], byte[]> connectExtra() {
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
    public boolean failsOverPubSub() {
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
        closeExtras();
        if (ownClient != null) {
            OwnClient.shutdown(ownClient);
        }
    }

    private void closeExtras() {
        pendingExtras.forEach(FirstConnection::close);
        extraExecutors.forEach(LettuceExecutor::close);
    }

    private StatefulRedisConnection<byte[], byte[]> connectOnce() {
        RedisClient own = ownClient;
        // The application's client has its own URL. It is not shut down here, so its attempts always complete.
        return own == null
                ? client.connect(ByteArrayCodec.INSTANCE)
                : attempts.await(() -> own.connectAsync(ByteArrayCodec.INSTANCE, settings.uri()));
    }

    /** Connects and sets the executor's connection. If that fails, returns the reason, or throws the failure if it is fatal. */
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
        long startNanos = System.nanoTime();
        while (true) {
            try {
                return connecting.get();
            } catch (RedisException | IllegalStateException e) {
                boolean isExpired = System.nanoTime() - startNanos
                        >= settings.uri().getTimeout().toNanos();
                // A TCP connection attempt may end long before the timeout, see OwnClient.
                boolean isRetried =
                        ownClient != null && settings.requiresConnection() && RedisProblems.isConnectTimeout(e);
                if (isExpired || !isRetried) {
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
