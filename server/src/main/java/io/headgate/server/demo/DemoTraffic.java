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

/** Sends what the clients of the demo ask, over HTTP and the loopback, evenly and never more than agreed. */
final class DemoTraffic implements AutoCloseable {

    private static final Duration TICK = Duration.ofMillis(20);
    private static final int MAX_IN_FLIGHT = 64;
    private static final int WARM_UP_REQUESTS = 100;

    /** How long a new JVM may take to find its pace before its times count. */
    private static final Duration WARM_UP = Duration.ofSeconds(2);

    private final List<DemoClient> clients;
    private final URI check;
    private final Latencies latencies = new Latencies();
    private final Map<DemoClient, Double> due = new HashMap<>();
    private final Semaphore inFlight = new Semaphore(MAX_IN_FLIGHT);
    private final ExecutorService workers = Executors.newFixedThreadPool(2);
    private final HttpClient http;
    private final long startNanos = System.nanoTime();
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();

    private DemoTraffic(List<DemoClient> clients, URI check) {
        this.clients = clients;
        this.check = check;
        this.http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .executor(workers)
                .build();
    }

    /** Begins to send. */
    static DemoTraffic start(List<DemoClient> clients, URI check) {
        DemoTraffic traffic = new DemoTraffic(clients, check);
        traffic.warmUp();
        traffic.clock.scheduleAtFixedRate(traffic::tick, 0, TICK.toNanos(), TimeUnit.NANOSECONDS);
        return traffic;
    }

    /** Asks for health a few times, so that a new JVM has loaded most of what it needs before it is measured. */
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

    /** How long answers took, from sending to the last byte; without those of the first two seconds. */
    Latencies latencies() {
        return latencies;
    }

    private void tick() {
        for (DemoClient client : clients) {
            double asks = due.getOrDefault(client, 0.0) + client.asksPerSecond * TICK.toMillis() / 1000.0;
            for (; asks >= 1; asks--) {
                ask(client);
            }
            due.put(client, asks);
        }
    }

    private void ask(DemoClient client) {
        if (!inFlight.tryAcquire()) {
            return; // The machine is too slow for so much; nobody waits in a queue that grows.
        }
        client.asked.increment();
        long sentNanos = System.nanoTime();
        boolean measured = sentNanos - startNanos > WARM_UP.toNanos();
        send(client).whenComplete((answer, failure) -> {
            inFlight.release();
            if (failure == null) {
                if (measured) {
                    latencies.add(Duration.ofNanos(System.nanoTime() - sentNanos));
                }
                client.answered(answer.statusCode());
            } else {
                client.failed.increment();
            }
        });
    }

    /** Whatever goes wrong comes in the answer: thrown here, it would end the clock for all clients. */
    private CompletableFuture<HttpResponse<Void>> send(DemoClient client) {
        try {
            return http.sendAsync(client.request(check), HttpResponse.BodyHandlers.discarding());
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Sends no more, and waits a moment for the answers that are still to come. */
    void stop() {
        clock.shutdown();
        try {
            if (clock.awaitTermination(1, TimeUnit.SECONDS)
                    && inFlight.tryAcquire(MAX_IN_FLIGHT, 5, TimeUnit.SECONDS)) {
                inFlight.release(MAX_IN_FLIGHT);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        clock.shutdownNow();
        workers.shutdownNow();
    }
}
