package io.headgate.config.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.ClientBuilder;
import io.grpc.ClientInterceptor;
import io.headgate.config.internal.stores.ClientCertificate;
import io.headgate.config.internal.stores.StoreFailure;
import io.netty.handler.ssl.SslContextBuilder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import javax.net.ssl.SSLException;

/**
 * A client of etcd that is replaced as soon as etcd does not reply. A connection that carries nothing would otherwise be used until gRPC
 * notices that, which takes longer than ten seconds, and a refused connection would be tried again after up to two minutes only.
 */
final class EtcdLink implements AutoCloseable {

    /** How long a call may take. Two of them and the period of polls are less than ten seconds. */
    static final Duration TIMEOUT = Duration.ofSeconds(3);

    /**
     * How long a call may take until the first reply, since a cold JVM on a busy machine loads classes for many seconds before it. A host
     * that does not answer is noticed earlier, by the timeout of connecting.
     */
    private static final Duration FIRST_TIMEOUT = Duration.ofSeconds(30);

    private static final Duration CLOSE_DELAY = Duration.ofSeconds(2);
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
    /** Calls notice dead connections. gRPC's pings need longer, and etcd closes connections with frequent ones. */
    private static final Duration NO_KEEPALIVE = Duration.ofDays(1);

    private static final int RETRIES = 2;
    private static final long RETRY_MILLIS = 50;
    private static final long LONGEST_RETRY_MILLIS = 200;

    private final EtcdSettings settings;
    private final List<ClientInterceptor> interceptors;
    private final ReentrantLock replacing = new ReentrantLock();
    private volatile Client client;
    private volatile boolean replied;
    private volatile boolean closed;

    /**
     * Creates a link, which connects with the first call.
     *
     * @param interceptors of all calls, for tests of lost replies
     * @throws IllegalArgumentException if a file of a certificate is invalid
     */
    EtcdLink(EtcdSettings settings, ClientInterceptor... interceptors) {
        this.settings = settings;
        this.interceptors = List.of(interceptors);
        this.client = builder().build();
    }

    /** Reads the files of certificates, which may have been replaced since the last connection. */
    private ClientBuilder builder() {
        ClientBuilder builder = Client.builder()
                .interceptors(interceptors)
                .endpoints(settings.endpoints())
                .waitForReady(false)
                .connectTimeout(CONNECT_TIMEOUT)
                .keepaliveTime(NO_KEEPALIVE)
                .retryMaxAttempts(RETRIES)
                .retryDelay(RETRY_MILLIS)
                .retryMaxDelay(LONGEST_RETRY_MILLIS);
        settings.credentials().ifPresent(credentials -> builder.user(bytes(credentials.user()))
                .password(bytes(credentials.password())));
        if (settings.isTls()) {
            try {
                builder.sslContext(this::secure);
            } catch (SSLException e) {
                throw new IllegalArgumentException("the certificates for etcd are invalid: " + e.getMessage(), e);
            }
        }
        return builder;
    }

    private void secure(SslContextBuilder tls) {
        Optional<Path> trusted = settings.trusted();
        trusted.ifPresent(pem -> tls.trustManager(pem.toFile()));
        Optional<ClientCertificate> certificate = settings.certificate();
        certificate.ifPresent(files ->
                tls.keyManager(files.certificate().toFile(), files.key().toFile()));
    }

    static ByteSequence bytes(String text) {
        return ByteSequence.from(text, StandardCharsets.UTF_8);
    }

    /** The current client, to compare it with the one of a watch. */
    Client client() {
        return client;
    }

    /**
     * Sends a call, and waits for its reply.
     *
     * @param operation what the call does and its key, for the message of a failure
     * @throws StoreFailure if etcd rejects the call, or does not reply within {@link #TIMEOUT}
     */
    <T> T call(String operation, Function<Client, CompletableFuture<T>> sent) {
        return call(operation, TIMEOUT, sent);
    }

    /** Sends a call, and waits for its reply for this time. */
    <T> T call(String operation, Duration timeout, Function<Client, CompletableFuture<T>> sent) {
        if (closed) {
            throw StoreFailure.of(operation + ": the store is closed");
        }
        Client used = client;
        Duration longest = replied || timeout.compareTo(FIRST_TIMEOUT) > 0 ? timeout : FIRST_TIMEOUT;
        CompletableFuture<T> reply = sent.apply(used);
        try {
            T received = reply.get(longest.toMillis(), TimeUnit.MILLISECONDS);
            replied = true;
            return received;
        } catch (TimeoutException e) {
            reply.cancel(true);
            replace(used);
            throw EtcdFailure.noReply(operation, longest);
        } catch (ExecutionException e) {
            StoreFailure failure = EtcdFailure.from(operation, e);
            if (failure.kind() == StoreFailure.Kind.NO_REPLY) {
                replace(used);
            }
            throw failure;
        } catch (InterruptedException e) {
            reply.cancel(true);
            Thread.currentThread().interrupt();
            throw StoreFailure.of(operation + ": the thread was interrupted");
        }
    }

    /**
     * Creates another client, which connects again, unless another thread has done so. Closes this one a little later: jetcd fails, and
     * gRPC logs that with a stack trace, if a client is closed while its watch receives the error of the same lost connection.
     */
    private void replace(Client used) {
        replacing.lock();
        try {
            if (client == used && !closed) {
                client = builder().build();
                CompletableFuture.delayedExecutor(CLOSE_DELAY.toMillis(), TimeUnit.MILLISECONDS)
                        .execute(used::close);
            }
        } catch (IllegalArgumentException e) {
            // A file of a certificate is being replaced. The client stays, and the next failure replaces it.
        } finally {
            replacing.unlock();
        }
    }

    @Override
    public void close() {
        replacing.lock();
        try {
            closed = true;
            client.close();
        } finally {
            replacing.unlock();
        }
    }
}
