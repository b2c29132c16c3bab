package io.headgate.server.demo;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Sends the requests of the demo's clients over HTTP to this machine, at their rates, or below them if the machine is too slow. */
final class DemoTraffic implements AutoCloseable {

    private static final Duration TICK = Duration.ofMillis(20);
    private static final int MAX_IN_FLIGHT = 64;
    private static final int WARM_UP_REQUESTS = 100;

    /** The warm-up time of the JVM, during which times are not counted. */
    private static final Duration WARM_UP = Duration.ofSeconds(2);

    private final List<DemoClient> clients;
    private final URI check;
    private final Latencies latencies = new Latencies();
    /** The fraction of a request that each client carries to the next tick. */
    private final Map<DemoClient, Double> due = new HashMap<>();

    private final Semaphore inFlight = new Semaphore(MAX_IN_FLIGHT);
    private final ExecutorService workers = Executors.newFixedThreadPool(2);
    private final HttpClient http;
    private final long startNanos = System.nanoTime();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

    private DemoTraffic(List<DemoClient> clients, URI check) {
        this.clients = clients;
        this.check = check;
        this.http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .executor(workers)
                .build();
    }

    /** Starts to send requests. */
    static DemoTraffic start(List<DemoClient> clients, URI check) {
        DemoTraffic traffic = new DemoTraffic(clients, check);
        traffic.warmUp();
        traffic.timer.scheduleAtFixedRate(traffic::tick, 0, TICK.toNanos(), TimeUnit.NANOSECONDS);
        return traffic;
    }

    /** Sends some health checks, so that a new JVM has loaded most classes before the measurement. */
    private void warmUp() {
        HttpRequest ready = HttpRequest.newBuilder(check.resolve("/readyz"))
                .timeout(DemoClient.TIMEOUT)
                .build();
        for (int i = 0; i < WARM_UP_REQUESTS; i++) {
            http.sendAsync(ready, HttpResponse.BodyHandlers.discarding())
                    .exceptionally(failure -> null)
                    .join();
        }
    }

    /** Latencies from sending a request to the last byte of its response, without those of the first two seconds. */
    Latencies latencies() {
        return latencies;
    }

    private void tick() {
        for (DemoClient client : clients) {
            double requests = due.getOrDefault(client, 0.0) + client.requestsPerSecond * TICK.toMillis() / 1000.0;
            for (; requests >= 1; requests--) {
                trySend(client);
            }
            due.put(client, requests);
        }
    }

    private void trySend(DemoClient client) {
        if (!inFlight.tryAcquire()) {
            return; // The machine is too slow for this rate. Requests are dropped, so that no queue grows.
        }
        client.sent.increment();
        long sentNanos = System.nanoTime();
        boolean measured = sentNanos - startNanos > WARM_UP.toNanos();
        send(client).whenComplete((response, failure) -> {
            inFlight.release();
            if (failure == null) {
                if (measured) {
                    latencies.add(Duration.ofNanos(System.nanoTime() - sentNanos));
                }
                client.countResponse(response.statusCode());
            } else {
                client.failed.increment();
            }
        });
    }

    /** Sends a request. A failure is in the future, because an exception would stop the timer of all clients. */
    private CompletableFuture<HttpResponse<Void>> send(DemoClient client) {
        try {
            return http.sendAsync(client.request(check), HttpResponse.BodyHandlers.discarding());
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Stops sending, and waits up to 5 s for outstanding responses. */
    void stop() {
        timer.shutdown();
        try {
            if (timer.awaitTermination(1, TimeUnit.SECONDS)
                    && inFlight.tryAcquire(MAX_IN_FLIGHT, 5, TimeUnit.SECONDS)) {
                inFlight.release(MAX_IN_FLIGHT);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
        workers.shutdownNow();
    }
}
