package io.headgate.redis.internal.connection;

import io.headgate.redis.RedisSettings;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one engine's connections: those of the user, and those that the engine chooses. The URIs are copies
 * for this engine, because Lettuce can change them.
 */
public final class ConnectionSettings {

    private final RedisSettings redis;
    private final List<RedisURI> uris;
    private final boolean connectionRequired;
    private final Duration leastSilence;

    /**
     * Creates the settings of one engine.
     *
     * @param requiredByDefault whether the engine fails to start when Redis cannot be reached, unless the user configures it
     * @param leastSilence the time without a reply after which a connection is suspected dead, if the timeout is not longer
     */
    public ConnectionSettings(RedisSettings redis, boolean requiredByDefault, Duration leastSilence) {
        this.redis = redis;
        this.uris = redis.uris();
        this.connectionRequired = redis.requiredConnection().orElse(requiredByDefault);
        this.leastSilence = leastSilence;
    }

    /** Creates the settings of an engine that requires a connection by default. */
    public ConnectionSettings(RedisSettings redis) {
        this(redis, true, Duration.ofSeconds(5));
    }

    /**
     * Whether this problem with the first connection makes the engine fail to start: always if Redis rejected the connection, as for a wrong
     * password; if Redis cannot be reached, only if a connection is required.
     */
    public boolean isFatal(Throwable problem) {
        return connectionRequired || RedisProblems.isRefusal(problem);
    }

    /** Whether the engine fails to start when Redis cannot be reached. */
    public boolean requiresConnection() {
        return connectionRequired;
    }

    /** The prefix of every key. */
    public String keyPrefix() {
        return redis.keyPrefix();
    }

    /** The timeout of a call. */
    public Duration timeout() {
        return redis.timeout();
    }

    /** The maximum number of calls in flight. */
    public int maxInFlightCalls() {
        return redis.maxInFlightCalls();
    }

    /** The URI of the Redis, or of the first node of a Cluster; a default URI if the application provides the client. */
    public RedisURI uri() {
        return uris.isEmpty() ? RedisURI.create("redis://localhost:6379") : uris.get(0);
    }

    @Nullable
    RedisClient client() {
        return redis.client().orElse(null);
    }

    /** The application's Cluster client, or null. */
    public @Nullable RedisClusterClient clusterClient() {
        return redis.clusterClient().orElse(null);
    }

    /**
     * The configured nodes of a Cluster, from which the others are discovered; empty for a single Redis and for an
     * application's client.
     */
    public List<RedisURI> seeds() {
        return isCluster() ? uris : List.of();
    }

    /** Whether the Redis is a Cluster. */
    public boolean isCluster() {
        return redis.isCluster();
    }

    /** The TLS options; empty for Lettuce's defaults. */
    Optional<SslOptions> tls() {
        if (redis.trustedCertificates().isEmpty() && redis.clientCertificate().isEmpty()) {
            return Optional.empty();
        }
        SslOptions.Builder options = SslOptions.builder().jdkSslProvider();
        redis.trustedCertificates().ifPresent(pem -> options.trustManager(pem.toFile()));
        redis.clientCertificate()
                .ifPresent(pem -> options.keyManager(
                        pem.toFile(), redis.clientKey().orElseThrow().toFile(), new char[0]));
        return Optional.of(options.build());
    }

    /** The time without a reply after which a connection is suspected dead. */
    Duration silence() {
        return timeout().compareTo(leastSilence) > 0 ? timeout() : leastSilence;
    }
}
