package io.headgate.redis.internal;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
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
    private final Optional<FirstConnection> first;
    private final Optional<String> unreached;
    private final ConnectionSettings settings;
    private final Optional<SentinelWatch> sentinels;
    private final List<LettuceExecutor> others = new CopyOnWriteArrayList<>();

    SingleLink(ConnectionSettings settings, Failures failures) {
        RedisClient given = settings.client();
        this.description = given == null ? address(settings.uri()) : "Redis, by the application's client";
        this.ownClient = given == null ? OwnClient.of(settings) : null;
        this.failures = failures;
        this.settings = settings;
        this.client = ownClient == null ? Objects.requireNonNull(given) : ownClient;
        this.executor = new LettuceExecutor(
                client.getResources().eventExecutorGroup(), settings.timeout(), settings.maxCallsUnderWay(), failures);
        this.unreached = connect();
        this.sentinels = ownClient == null || settings.uri().getSentinels().isEmpty()
                ? Optional.empty()
                : Optional.of(SentinelWatch.begin(description, client, settings.uri(), this::leave));
        this.first = unreached.map(why -> FirstConnection.begin(description, this::connectOnce, executor));
    }

    private void leave() {
        executor.leave();
        others.forEach(LettuceExecutor::leave);
    }

    @Override
    public Optional<String> unreached() {
        return unreached;
    }

    @Override
    public LettuceExecutor executor() {
        return executor;
    }

    /**
     * Opens another connection, which is closed with this, and returns what sends calls over it.
     *
     * @param timeout how long to wait for an answer there
     * @param tryOut is called with it first; when that throws, the connection is closed again
     * @throws RuntimeException what the failures make of it, when Redis can't be reached
     */
    public LettuceExecutor another(Duration timeout, Consumer<LettuceExecutor> tryOut) {
        StatefulRedisConnection<byte[], byte[]> other = connecting(() -> client.connect(ByteArrayCodec.INSTANCE));
        LettuceExecutor calls = new LettuceExecutor(other, timeout, settings.maxCallsUnderWay(), failures);
        try {
            tryOut.accept(calls);
        } catch (RuntimeException e) {
            other.close();
            throw e;
        }
        others.add(calls);
        return calls;
    }

    @Override
    public StatefulRedisPubSubConnection<String, String> connectPubSub() {
        return connecting(() -> client.connectPubSub());
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
        first.ifPresent(FirstConnection::close);
        sentinels.ifPresent(SentinelWatch::close);
        executor.close();
        others.forEach(LettuceExecutor::close);
        if (ownClient != null) {
            OwnClient.shutdown(ownClient);
        }
    }

    private StatefulRedisConnection<byte[], byte[]> connectOnce() {
        return client.connect(ByteArrayCodec.INSTANCE);
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
