package io.headgate.spring.samples;

import io.headgate.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.client.Http2AllocationStrategy;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;

/** Clients that send requests without a pause, each its next one when the response to the previous one is complete. */
final class Load implements AutoCloseable {

    static final int CONNECTIONS = 500;
    private static final int HTTP2_CONNECTIONS = 100;
    private static final int STREAMS = 2;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final List<SampleInstance> instances;
    private final IntFunction<Call> calls;
    private final ConnectionProvider pool;
    private final ConnectionProvider http2Pool;
    private final HttpClient http1;
    private final HttpClient http2;
    private final Set<String> connections = ConcurrentHashMap.newKeySet();
    private final Queue<Outcome> outcomes = new ConcurrentLinkedQueue<>();
    private final AtomicInteger sent = new AtomicInteger();
    private final AtomicInteger received = new AtomicInteger();
    private final AtomicInteger pendingDuringOutage = new AtomicInteger();
    private final CompletableFuture<Void> end;
    private volatile boolean running = true;

    /**
     * Starts all clients.
     *
     * @param calls the request with a number
     */
    Load(List<SampleInstance> instances, IntFunction<Call> calls) {
        this.instances = instances;
        this.calls = calls;
        int plain = CONNECTIONS - HTTP2_CONNECTIONS;
        this.pool = pool(plain).build();
        int perInstance = HTTP2_CONNECTIONS / instances.size();
        this.http2Pool = pool(perInstance)
                .allocationStrategy(Http2AllocationStrategy.builder()
                        .maxConnections(perInstance)
                        .minConnections(perInstance)
                        .maxConcurrentStreams(STREAMS)
                        .build())
                .build();
        this.http1 = client(pool).protocol(HttpProtocol.HTTP11);
        this.http2 = client(http2Pool).protocol(HttpProtocol.H2C);
        int clients = plain + HTTP2_CONNECTIONS * STREAMS;
        this.end = Flux.range(0, clients)
                .flatMap(client -> loop(client < plain ? http1 : http2), clients)
                .then()
                .toFuture();
    }

    private static ConnectionProvider.Builder pool(int connections) {
        return ConnectionProvider.builder("load")
                .maxConnections(connections)
                .pendingAcquireMaxCount(-1)
                .pendingAcquireTimeout(PATIENCE);
    }

    private HttpClient client(ConnectionProvider connectionPool) {
        return HttpClient.create(connectionPool)
                .doOnConnected(connection ->
                        connections.add(connection.channel().localAddress().toString()));
    }

    private Mono<Void> loop(HttpClient client) {
        return Mono.defer(() -> send(client, calls.apply(sent.getAndIncrement())))
                .repeat(() -> running)
                .then();
    }

    private Mono<Void> send(HttpClient client, Call call) {
        if (call.duringOutage()) {
            pendingDuringOutage.incrementAndGet();
        }
        long start = System.nanoTime();
        return client.headers(fields -> call.fields().forEach(fields::set))
                .request(call.method())
                .uri("http://127.0.0.1:" + instances.get(call.instance()).port() + call.path())
                .responseSingle((response, content) -> content.asString()
                        .defaultIfEmpty("")
                        .doOnNext(body -> {
                            long now = System.nanoTime();
                            Set<String> deniedBy = Responses.deniedBy(
                                    call, response.status().code(), response.responseHeaders(), body);
                            outcomes.add(new Outcome(call, start, now, deniedBy));
                            received.incrementAndGet();
                            if (call.duringOutage()) {
                                pendingDuringOutage.decrementAndGet();
                            }
                        }))
                .then();
    }

    /** Waits for this number of further responses. */
    void awaitResponses(int further) {
        int before = received.get();
        await(further + " responses", () -> received.get() >= before + further);
    }

    /** Waits until all requests with keys of the outage have been answered. */
    void awaitResponsesOfOutage() {
        await("the responses of the outage", () -> pendingDuringOutage.get() == 0);
    }

    /** Waits for an event, or for a request that failed or whose response is wrong. */
    void await(String what, BooleanSupplier condition) {
        Await.until(what, PATIENCE, () -> end.isCompletedExceptionally() || condition.getAsBoolean());
        if (end.isCompletedExceptionally()) {
            end.join();
        }
    }

    /** Stops all clients after their last response, and returns what they recorded. */
    List<Outcome> stop() throws InterruptedException, ExecutionException {
        running = false;
        end.get();
        return List.copyOf(outcomes);
    }

    /** The number of connections that were opened. */
    int connections() {
        return connections.size();
    }

    @Override
    public void close() {
        running = false;
        pool.dispose();
        http2Pool.dispose();
    }
}
