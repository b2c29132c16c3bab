package io.headgate.redis.internal;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An engine's connection to Redis, by a client of its own or by the application's, and what sends calls over it. */
public final class RedisLink implements AutoCloseable {

    private final String description;
    private final @Nullable RedisClient ownClient;
    private final Failures failures;
    private final StatefulRedisConnection<byte[], byte[]> connection;
    private final LettuceExecutor executor;

    /**
     * Connects.
     *
     * @throws RuntimeException what the failures make of it, when Redis can't be reached
     */
    public RedisLink(ConnectionSettings settings, Failures failures) {
        settings.check();
        RedisClient given = settings.client();
        this.description = given == null ? address(settings.uri()) : "Redis, by the application's client";
        this.ownClient = given == null ? OwnClient.of(settings.uri(), settings.silence()) : null;
        this.failures = failures;
        this.connection = connect(ownClient == null ? Objects.requireNonNull(given) : ownClient);
        this.executor = new LettuceExecutor(connection, settings.timeout(), settings.maxCallsUnderWay(), failures);
    }

    /** Sends calls. */
    public LettuceExecutor executor() {
        return executor;
    }

    /** Which Redis it is, for logs and pages: without a password. */
    public String description() {
        return description;
    }

    /** Closes the connection, and the client if it is not the application's own. Calls under way fail. */
    @Override
    public void close() {
        connection.close();
        if (ownClient != null) {
            OwnClient.shutdown(ownClient);
        }
    }

    private StatefulRedisConnection<byte[], byte[]> connect(RedisClient client) {
        try {
            return client.connect(ByteArrayCodec.INSTANCE);
        } catch (RedisException | IllegalStateException e) {
            if (ownClient != null) {
                OwnClient.shutdown(ownClient);
            }
            throw failures.failure("connect", description, RedisProblems.describeConnect(e), false, e);
        }
    }

    private static String address(RedisURI uri) {
        return (uri.isSsl() ? "rediss://" : "redis://") + uri.getHost() + ":" + uri.getPort()
                + (uri.getDatabase() == 0 ? "" : "/" + uri.getDatabase());
    }
}
