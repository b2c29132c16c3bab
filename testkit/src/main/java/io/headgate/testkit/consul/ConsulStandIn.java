package io.headgate.testkit.consul;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.headgate.testkit.internal.LoopbackPorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/**
 * A stand-in for an agent of Consul, on 127.0.0.1 only, in this process. It was written from Consul's public documentation: keys and values,
 * blocking queries, transactions, sessions and tokens, as far as Headgate uses them. It is not Consul: what the documentation leaves open,
 * it may do differently.
 *
 * <pre>{@code
 * try (ConsulStandIn consul = ConsulStandIn.start()) {
 *     connect(consul.url());
 * }
 * }</pre>
 *
 * <p>Safe for use by several threads, except {@link #stop} and {@link #restart}.
 */
public final class ConsulStandIn implements AutoCloseable {

    private static final int PORTS_TRIED = 5;
    private static final Duration RESTART_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration RETRY_INTERVAL = Duration.ofMillis(5);
    private static final AtomicInteger THREADS = new AtomicInteger();

    static {
        // Otherwise each reply on a connection in use waits for an acknowledgement, up to 40 ms.
        System.setProperty("sun.net.httpserver.nodelay", "true");
    }

    private final Optional<SSLContext> tls;
    private final boolean clientCertificates;
    private final ConsulData data = new ConsulData();
    private final ConsulRequests requests = new ConsulRequests(data);
    private final Map<String, ConsulToken> tokens = new ConcurrentHashMap<>();
    private final AtomicInteger indexesLost = new AtomicInteger();
    private final AtomicInteger repliesLost = new AtomicInteger();
    private ExecutorService threads;
    private HttpServer server;
    private int port;

    private ConsulStandIn(Optional<SSLContext> tls, boolean clientCertificates) {
        this.tls = tls;
        this.clientCertificates = clientCertificates;
        this.threads = newThreads();
        this.server = listenOnFreePort();
    }

    /** Starts a stand-in without keys. */
    public static ConsulStandIn start() {
        return new ConsulStandIn(Optional.empty(), false);
    }

    /**
     * Starts a stand-in with TLS.
     *
     * @param tls the certificate of the server, and the authorities that it trusts
     * @param clientCertificates whether clients need a certificate
     */
    public static ConsulStandIn startWithTls(SSLContext tls, boolean clientCertificates) {
        return new ConsulStandIn(Optional.of(tls), clientCertificates);
    }

    /** The URL for clients: {@code http://127.0.0.1:port}, or {@code https}. */
    public String url() {
        return (tls.isPresent() ? "https" : "http") + "://127.0.0.1:" + port;
    }

    /** The port of {@link #url()}. */
    public int port() {
        return port;
    }

    /** Rejects requests without a known token from now on. */
    public void allow(String token, ConsulToken rights) {
        tokens.put(token, rights);
    }

    /** Ends all connections, and refuses new ones. The keys remain. */
    public void stop() {
        server.stop(0);
        threads.shutdownNow();
    }

    /** Listens again after {@link #stop}, on the same port. */
    public void restart() {
        threads = newThreads();
        server = listenAgain();
    }

    /** Replies to the next blocking queries with the index 0, as some versions of Consul did. */
    public void loseIndexes(int replies) {
        indexesLost.set(replies);
    }

    /** Executes the next transactions, and then ends their connections instead of replying. */
    public void loseRepliesToTransactions(int replies) {
        repliesLost.set(replies);
    }

    /** Acknowledges writes of keys with this part from now on without storing them, as a faulty store would; none if it is empty. */
    public void loseWritesOf(String part) {
        requests.loseWritesOf(part);
    }

    /** How many blocking queries wait for a change. */
    public int queriesWaiting() {
        return data.waiting();
    }

    /** All keys with their indices. */
    public Snapshot snapshot() {
        return new Snapshot(data.all());
    }

    /** Replaces all keys by those of a snapshot, and with them their indices, which may be lower than before. */
    public void restore(Snapshot snapshot) {
        data.change(() -> {
            data.restore(snapshot.read);
            return snapshot;
        });
    }

    /** Ends a session as if its owner had not renewed it. */
    public void expire(String session) {
        data.change(() -> {
            data.endSession(session);
            return session;
        });
    }

    /** The keys at a time. */
    public static final class Snapshot {

        private final ConsulData.Read read;

        private Snapshot(ConsulData.Read read) {
            this.read = read;
        }
    }

    @Override
    public void close() {
        stop();
    }

    private static ExecutorService newThreads() {
        return Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "headgate-consul-stand-in-" + THREADS.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Tries several ports, since another process may take one before it is bound. */
    private HttpServer listenOnFreePort() {
        for (int attempt = 1; ; attempt++) {
            port = LoopbackPorts.free();
            try {
                return listen();
            } catch (BindException e) {
                if (attempt == PORTS_TRIED) {
                    throw new UncheckedIOException("cannot listen on port " + port, e);
                }
            }
        }
    }

    /** Tries the same port for a while, since another process may use it for a moment. */
    private HttpServer listenAgain() {
        long start = System.nanoTime();
        while (true) {
            try {
                return listen();
            } catch (BindException e) {
                if (System.nanoTime() - start > RESTART_TIMEOUT.toNanos()) {
                    throw new UncheckedIOException("cannot listen on port " + port, e);
                }
                LockSupport.parkNanos(RETRY_INTERVAL.toNanos());
            }
        }
    }

    /**
     * Listens on the port.
     *
     * @throws BindException if the port is in use
     */
    private HttpServer listen() throws BindException {
        try {
            InetSocketAddress address =
                    new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port);
            HttpServer next = tls.isPresent() ? https(address, tls.get()) : HttpServer.create(address, 0);
            next.createContext("/v1/", this::handle);
            next.setExecutor(threads);
            next.start();
            return next;
        } catch (BindException e) {
            throw e;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot listen on port " + port, e);
        }
    }

    private HttpsServer https(InetSocketAddress address, SSLContext context) throws IOException {
        HttpsServer next = HttpsServer.create(address, 0);
        next.setHttpsConfigurator(new HttpsConfigurator(context) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters wanted = context.getDefaultSSLParameters();
                wanted.setNeedClientAuth(clientCertificates);
                parameters.setSSLParameters(wanted);
            }
        });
        return next;
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            ConsulReply reply = reply(exchange, body);
            boolean transaction = exchange.getRequestURI().getPath().endsWith("/txn");
            if (transaction && isNext(repliesLost)) {
                return;
            }
            if (reply.index().isPresent()) {
                long index = isNext(indexesLost) ? 0 : reply.index().get();
                exchange.getResponseHeaders().set("X-Consul-Index", Long.toString(index));
                exchange.getResponseHeaders().set("X-Consul-KnownLeader", "true");
                exchange.getResponseHeaders().set("X-Consul-LastContact", "0");
            }
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            byte[] text = reply.body().getBytes(UTF_8);
            exchange.sendResponseHeaders(reply.status(), text.length == 0 ? -1 : text.length);
            exchange.getResponseBody().write(text);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether a fault is left, which is then used. */
    private static boolean isNext(AtomicInteger faults) {
        return faults.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
    }

    private ConsulReply reply(HttpExchange exchange, byte[] body) throws InterruptedException {
        String path = exchange.getRequestURI().getPath().substring("/v1/".length());
        Map<String, String> query = new LinkedHashMap<>();
        String raw = Optional.ofNullable(exchange.getRequestURI().getQuery()).orElse("");
        for (String parameter : raw.split("&", -1)) {
            int equals = parameter.indexOf('=');
            query.put(
                    equals < 0 ? parameter : parameter.substring(0, equals),
                    equals < 0 ? "" : parameter.substring(equals + 1));
        }
        try {
            ConsulToken token = token(exchange.getRequestHeaders().getOrDefault("X-Consul-Token", List.of("")));
            return requests.reply(exchange.getRequestMethod(), path, query, body, token);
        } catch (ConsulRejection e) {
            return new ConsulReply(e.status(), String.valueOf(e.getMessage()));
        }
    }

    private ConsulToken token(List<String> given) {
        if (tokens.isEmpty()) {
            return ConsulToken.ALL;
        }
        String token = given.get(0);
        if (token.isEmpty()) {
            // The anonymous token, which has no rights here.
            return new ConsulToken("\0", false, false);
        }
        return Optional.ofNullable(tokens.get(token)).orElseThrow(() -> new ConsulRejection(403, "ACL not found"));
    }
}
