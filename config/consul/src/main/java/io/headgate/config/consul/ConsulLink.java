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

    /**
     * How long a call may take until the first reply, since a cold JVM on a busy machine loads classes for many seconds before it. A host
     * that does not answer is noticed earlier, by the timeout of connecting. Writes follow a read.
     */
    private static final Duration FIRST_TIMEOUT = Duration.ofSeconds(30);

    private static final String TOKEN_HEADER = "X-Consul-Token";
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);

    private final ConsulSettings settings;
    private final Duration timeout;
    private final Duration firstTimeout;
    private final ReentrantLock replacing = new ReentrantLock();
    private volatile Client client;
    private volatile boolean replied;
    private volatile boolean closed;

    /** A client of the library, and how long its calls may take. */
    private record Client(Consul consul, Duration timeout) {}

    /**
     * Creates a link, which connects with the first call. Until Consul has replied once, a call may take longer.
     *
     * @throws IllegalArgumentException if a file of a certificate is invalid
     */
    ConsulLink(ConsulSettings settings, Duration timeout) {
        this(settings, timeout, FIRST_TIMEOUT);
    }

    /**
     * Creates a link, which connects with the first call.
     *
     * @param firstTimeout how long a call may take until the first reply
     * @throws IllegalArgumentException if a file of a certificate is invalid
     */
    ConsulLink(ConsulSettings settings, Duration timeout, Duration firstTimeout) {
        this.settings = settings;
        this.timeout = timeout;
        this.client = newClient(firstTimeout);
        this.firstTimeout = firstTimeout;
    }

    private Client newClient(Duration longest) {
        Duration connecting = longest.compareTo(CONNECT_TIMEOUT) < 0 ? longest : CONNECT_TIMEOUT;
        Consul.Builder builder = Consul.builder()
                .withUrl(settings.address())
                .withPing(false)
                .withConnectTimeoutMillis(connecting.toMillis())
                .withReadTimeoutMillis(longest.toMillis())
                .withWriteTimeoutMillis(longest.toMillis())
                .withClientConfiguration(new ClientConfig(CacheConfig.builder()
                        .withTimeoutAutoAdjustmentEnabled(true)
                        .withTimeoutAutoAdjustmentMargin(longest)
                        .build()));
        // Not withAclToken, which adds the token to each URL.
        settings.token().ifPresent(token -> builder.withHeaders(Map.of(TOKEN_HEADER, token)));
        if (settings.isTls()) {
            ConsulTls tls = ConsulTls.of(settings.trusted(), settings.certificate());
            builder.withSslContext(tls.context()).withTrustManager(tls.trusted());
        }
        return new Client(builder.build(), longest);
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
        Client used = client;
        try {
            T reply = sent.apply(used.consul());
            noteReply(used);
            return reply;
        } catch (ConsulException e) {
            // If Consul has replied, the connection works.
            if (e.hasCode()) {
                noteReply(used);
            } else {
                replace(used);
            }
            throw ConsulFailure.from(operation, used.timeout(), e);
        }
    }

    /** After the first reply, replaces the client by one with the shorter timeout, which connects again. */
    private void noteReply(Client used) {
        replied = true;
        if (!used.timeout().equals(timeout)) {
            replace(used);
        }
    }

    /** Creates another client, which connects again, unless another thread has done so. Calls on this one end by their timeout. */
    private void replace(Client used) {
        replacing.lock();
        try {
            if (client.consul() == used.consul() && !closed) {
                client = newClient(replied ? timeout : firstTimeout);
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
            client.consul().destroy();
        } finally {
            replacing.unlock();
        }
    }
}
