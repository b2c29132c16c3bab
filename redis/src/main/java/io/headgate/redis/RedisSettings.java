package io.headgate.redis;

import io.headgate.redis.internal.script.KeyPrefix;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The settings of an engine's connection to Redis. Engines of limits and engines of queues take the same settings.
 *
 * <pre>{@code
 * RedisSettings redis = RedisSettings.of("redis://localhost:6379").withTimeout(Duration.ofMillis(200)).withKeyPrefix("shop");
 * LimitEngine limits = RedisLimitEngine.connect(redis);
 * QueueEngine queues = RedisQueueEngine.connect(redis);
 * }</pre>
 *
 * <p>Immutable: each {@code with} method returns new settings. Each method checks its arguments, before anything is connected: an
 * invalid value causes an {@link IllegalArgumentException}, null a {@link NullPointerException}. Neither their messages nor {@link
 * #toString} contain a password.
 */
public final class RedisSettings {

    /** Where Redis is: a URL, or a client of the application. Exactly one is present. */
    private record Target(
            Optional<RedisUrl> url, Optional<RedisClient> client, Optional<RedisClusterClient> clusterClient) {}

    private record ClientCertificate(Path certificate, Path key) {}

    private final Target target;
    private final String keyPrefix;
    private final Duration timeout;
    private final int maxInFlightCalls;
    private final Optional<Path> trusted;
    private final Optional<ClientCertificate> certificate;
    private final Optional<Boolean> connectionRequired;

    private RedisSettings(
            Target target,
            String keyPrefix,
            Duration timeout,
            int maxInFlightCalls,
            Optional<Path> trusted,
            Optional<ClientCertificate> certificate,
            Optional<Boolean> connectionRequired) {
        this.target = target;
        this.keyPrefix = keyPrefix;
        this.timeout = timeout;
        this.maxInFlightCalls = maxInFlightCalls;
        this.trusted = trusted;
        this.certificate = certificate;
        this.connectionRequired = connectionRequired;
    }

    private static RedisSettings of(Target target) {
        return new RedisSettings(
                target,
                KeyPrefix.DEFAULT,
                Duration.ofMillis(500),
                16_384,
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    /**
     * Connects to this URL, with a client that the engine creates and closes.
     *
     * @param url has one of these forms:
     *     <ul>
     *       <li>{@code redis://[[user]:password@]host[:port][/database]} for one node;
     *       <li>{@code redis-sentinel://[[user]:password@]host[:port],host[:port]...[/database]#name} for the primary that these
     *           sentinels watch under this name;
     *       <li>{@code redis-cluster://[[user]:password@]host[:port],host[:port]...} for a Cluster, of which these are some nodes;
     *       <li>{@code rediss://}, {@code rediss-sentinel://} and {@code rediss-cluster://} for the same with TLS.
     *     </ul>
     *     Options follow {@code ?}: {@code clientName=orders}; {@code timeout=5s} for connecting, 5 seconds by default; and {@code
     *     verifyPeer=FULL|CA|NONE}. Special characters of a password are percent-encoded.
     * @throws IllegalArgumentException when the URL has none of these forms; the message does not contain the URL
     */
    public static RedisSettings of(String url) {
        return of(new Target(
                Optional.of(new RedisUrl(Objects.requireNonNull(url, "url"))), Optional.empty(), Optional.empty()));
    }

    /**
     * Opens connections with a client of the application, which the application must close after the engine. The engine sends a
     * call at most once, whatever the client's options are. The client's default timeout does not apply to the engine's calls. A
     * fixed timeout or a timeout source in its {@code TimeoutOptions} does apply: a call that the client times out is no longer
     * counted as in flight, see {@link #withMaxInFlightCalls}.
     */
    public static RedisSettings of(RedisClient client) {
        return of(
                new Target(Optional.empty(), Optional.of(Objects.requireNonNull(client, "client")), Optional.empty()));
    }

    /**
     * Connects to the Cluster of a client of the application, which the application must close after the engine. The engine uses the
     * client's options and threads, and opens connections of its own to the masters.
     */
    public static RedisSettings of(RedisClusterClient client) {
        return of(
                new Target(Optional.empty(), Optional.empty(), Optional.of(Objects.requireNonNull(client, "client"))));
    }

    /**
     * Sets the prefix of all keys, {@code hg} by default. Engines share limits and queues only when they have the same prefix.
     *
     * @param prefix 1 to 64 characters of {@code A-Z a-z 0-9 . _ -}, the first a letter or digit
     */
    public RedisSettings withKeyPrefix(String prefix) {
        return new RedisSettings(
                target, KeyPrefix.checked(prefix), timeout, maxInFlightCalls, trusted, certificate, connectionRequired);
    }

    /**
     * Sets how long an engine waits for the reply to a call, 500 ms by default.
     *
     * @param timeout 1 ms to 1 minute
     */
    public RedisSettings withTimeout(Duration timeout) {
        if (timeout.compareTo(Duration.ofMillis(1)) < 0 || timeout.compareTo(Duration.ofMinutes(1)) > 0) {
            throw new IllegalArgumentException("timeout must be from 1 ms to 1 minute, was " + timeout);
        }
        return new RedisSettings(
                target, keyPrefix, timeout, maxInFlightCalls, trusted, certificate, connectionRequired);
    }

    /**
     * Sets how many calls an engine may have in flight, 16 384 by default. A call whose caller has timed out counts until Redis
     * replies or the connection breaks. A call beyond the maximum fails immediately, and is not sent. While Redis hangs, this bounds
     * the memory of the calls, and the backlog that Redis must process when it recovers. The same maximum applies to the requests of
     * limits that wait for a batch or are in flight in one.
     *
     * @param calls 1 to 1 000 000
     */
    public RedisSettings withMaxInFlightCalls(int calls) {
        if (calls < 1 || calls > 1_000_000) {
            throw new IllegalArgumentException("maxInFlightCalls must be from 1 to 1000000, was " + calls);
        }
        return new RedisSettings(target, keyPrefix, timeout, calls, trusted, certificate, connectionRequired);
    }

    /**
     * Trusts only servers whose certificate one of these authorities has signed, instead of the authorities that the JVM trusts. With
     * {@code verifyPeer=NONE} in the URL, any certificate is trusted nevertheless. The file is read again for each connection.
     *
     * @param pem a readable file of certificates in PEM format
     * @throws IllegalArgumentException when the file can't be read, or the settings have no URL for TLS
     */
    public RedisSettings withTrustedCertificates(Path pem) {
        requireTls();
        return new RedisSettings(
                target,
                keyPrefix,
                timeout,
                maxInFlightCalls,
                Optional.of(readable("trustedCertificates", pem)),
                certificate,
                connectionRequired);
    }

    /**
     * Presents this certificate to a Redis that requires one; none by default. The files are read again for each connection.
     *
     * @param pem a readable file of the certificate and its intermediate certificates in PEM format
     * @param key a readable file of its private key: PKCS 8 in PEM format, without a password
     * @throws IllegalArgumentException when a file can't be read, or the settings have no URL for TLS
     */
    public RedisSettings withClientCertificate(Path pem, Path key) {
        requireTls();
        return new RedisSettings(
                target,
                keyPrefix,
                timeout,
                maxInFlightCalls,
                trusted,
                Optional.of(new ClientCertificate(
                        readable("clientCertificate", pem), readable("key of clientCertificate", key))),
                connectionRequired);
    }

    /**
     * Sets whether creating an engine fails when Redis can't be reached. By default, it fails for an engine of queues, and for an
     * engine of limits without a fallback. With {@code false}, the engine connects in the background; until then, an engine of limits
     * uses its fallbacks, and calls to queues fail. A Redis that rejects the user, the password or the database, or whose
     * certificate is not trusted, is an error in either case.
     */
    public RedisSettings withRequiredConnection(boolean required) {
        return new RedisSettings(
                target, keyPrefix, timeout, maxInFlightCalls, trusted, certificate, Optional.of(required));
    }

    private void requireTls() {
        if (target.url().isEmpty()) {
            throw new IllegalArgumentException("certificates can be set with a url only; the client that was given has"
                    + " certificates of its own: set them in its options");
        }
        if (!target.url().get().isTls()) {
            throw new IllegalArgumentException(
                    "certificates are for TLS: the url must begin with rediss://, rediss-sentinel:// or rediss-cluster://");
        }
    }

    private static Path readable(String what, Path file) {
        if (!Files.isReadable(file)) {
            throw new IllegalArgumentException(what + " must be a readable file in PEM format, was " + file);
        }
        return file;
    }

    /** Whether these settings connect to a Redis Cluster. */
    public boolean isCluster() {
        return target.clusterClient().isPresent()
                || target.url().filter(RedisUrl::isCluster).isPresent();
    }

    /** Returns new Lettuce URIs: one for each node that the URL of a Cluster names, otherwise one; none for an application's client. */
    public List<RedisURI> uris() {
        return target.url().map(RedisUrl::uris).orElse(List.of());
    }

    /** The client of {@link #of(RedisClient)}. */
    public Optional<RedisClient> client() {
        return target.client();
    }

    /** The client of {@link #of(RedisClusterClient)}. */
    public Optional<RedisClusterClient> clusterClient() {
        return target.clusterClient();
    }

    /** See {@link #withKeyPrefix}. */
    public String keyPrefix() {
        return keyPrefix;
    }

    /** See {@link #withTimeout}. */
    public Duration timeout() {
        return timeout;
    }

    /** See {@link #withMaxInFlightCalls}. */
    public int maxInFlightCalls() {
        return maxInFlightCalls;
    }

    /** The file of {@link #withTrustedCertificates}. */
    public Optional<Path> trustedCertificates() {
        return trusted;
    }

    /** The certificate of {@link #withClientCertificate}. */
    public Optional<Path> clientCertificate() {
        return certificate.map(ClientCertificate::certificate);
    }

    /** The private key of {@link #withClientCertificate}. */
    public Optional<Path> clientKey() {
        return certificate.map(ClientCertificate::key);
    }

    /** See {@link #withRequiredConnection}; empty for the default of the engine. */
    public Optional<Boolean> requiredConnection() {
        return connectionRequired;
    }

    /** Names the hosts, the prefix and the timeout, but neither user nor password. */
    @Override
    public String toString() {
        String where = target.url().map(RedisUrl::toString).orElse("a client of the application");
        return "RedisSettings[" + where + ", keyPrefix=" + keyPrefix + ", timeout=" + timeout + "]";
    }
}
