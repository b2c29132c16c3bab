package io.headgate.config.consul;

import io.headgate.config.internal.stores.StoreFailure;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.kiwiproject.consul.Consul;
import org.kiwiproject.consul.ConsulException;
import org.kiwiproject.consul.config.CacheConfig;
import org.kiwiproject.consul.config.ClientConfig;

/**
 * A client of Consul whose calls all have the same timeout, except that a blocking query also has its wait and the jitter that Consul adds.
 * The client is replaced as soon as Consul does not reply: its other connections may carry nothing either, and the files of certificates
 * may have been replaced.
 */
final class ConsulLink implements AutoCloseable {

    /** How long a read may take, and a blocking query after its wait. */
    static final Duration READ_TIMEOUT = Duration.ofSeconds(3);

    /** How long a write may take. */
    static final Duration WRITE_TIMEOUT = Duration.ofSeconds(10);

    private static final String TOKEN_HEADER = "X-Consul-Token";
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);

    private final ConsulSettings settings;
    private final Duration timeout;
    private final ReentrantLock replacing = new ReentrantLock();
    private volatile Consul client;
    private volatile boolean closed;

    /**
     * Creates a link, which connects with the first call.
     *
     * @throws IllegalArgumentException if a file of a certificate is invalid
     */
    ConsulLink(ConsulSettings settings, Duration timeout) {
        this.settings = settings;
        this.timeout = timeout;
        this.client = newClient();
    }

    private Consul newClient() {
        Duration connecting = timeout.compareTo(CONNECT_TIMEOUT) < 0 ? timeout : CONNECT_TIMEOUT;
        Consul.Builder builder = Consul.builder()
                .withUrl(settings.address())
                .withPing(false)
                .withConnectTimeoutMillis(connecting.toMillis())
                .withReadTimeoutMillis(timeout.toMillis())
                .withWriteTimeoutMillis(timeout.toMillis())
                .withClientConfiguration(new ClientConfig(CacheConfig.builder()
                        .withTimeoutAutoAdjustmentEnabled(true)
                        .withTimeoutAutoAdjustmentMargin(timeout)
                        .build()));
        // Not withAclToken, which adds the token to each URL.
        settings.token().ifPresent(token -> builder.withHeaders(Map.of(TOKEN_HEADER, token)));
        if (settings.isTls()) {
            ConsulTls tls = ConsulTls.of(settings.trusted(), settings.certificate());
            builder.withSslContext(tls.context()).withTrustManager(tls.trusted());
        }
        return builder.build();
    }

    /**
     * Makes a call.
     *
     * @param operation what the call does and its key, for the message of a failure
     * @throws StoreFailure if Consul rejects the call, or does not reply in time
     */
    <T> T call(String operation, Function<Consul, T> sent) {
        if (closed) {
            throw StoreFailure.of(operation + ": the store is closed");
        }
        Consul used = client;
        try {
            return sent.apply(used);
        } catch (ConsulException e) {
            StoreFailure failure = ConsulFailure.from(operation, timeout, e);
            // If Consul has replied, the connection works.
            if (!e.hasCode()) {
                replace(used);
            }
            throw failure;
        }
    }

    /** Creates another client, which connects again, unless another thread has done so. Calls on this one end by their timeout. */
    private void replace(Consul used) {
        replacing.lock();
        try {
            if (client == used && !closed) {
                client = newClient();
            }
        } catch (IllegalArgumentException e) {
            // A file of a certificate is being replaced. The client stays, and the next failure replaces it.
        } finally {
            replacing.unlock();
        }
    }

    /** Ends all calls, and closes the connections. */
    @Override
    public void close() {
        replacing.lock();
        try {
            closed = true;
            client.destroy();
        } finally {
            replacing.unlock();
        }
    }
}
