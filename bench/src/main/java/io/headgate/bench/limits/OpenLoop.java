package io.headgate.bench.limits;

import io.headgate.bench.run.PipelinedConnection;
import io.headgate.bench.run.Tally;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Sends requests to an application at a fixed rate, whether or not it keeps up (an open workload). The latency of a request counts
 * from the time when it was due, so it includes the wait behind slow requests (no coordinated omission).
 */
final class OpenLoop implements AutoCloseable {

    private static final long SECOND_NANOS = 1_000_000_000L;
    static final int CONNECTIONS = 4;

    private static final int OK = 200;
    private static final int TOO_MANY_REQUESTS = 429;

    private final int perSecond;
    private final int users;
    private final List<PipelinedConnection> connections;

    /** Fails when the application has ended. */
    private final CompletableFuture<Void> appEnd = new CompletableFuture<>();

    OpenLoop(int port, int perSecond, int users) {
        this.perSecond = perSecond;
        this.users = users;
        this.connections = IntStream.range(0, CONNECTIONS)
                .mapToObj(i -> new PipelinedConnection(port, appEnd::completeExceptionally))
                .toList();
    }

    /** The number of requests in this time. */
    int requestsIn(Duration time) {
        return (int) (time.toNanos() / (SECOND_NANOS / perSecond));
    }

    /** When a request is due, counted from the start. */
    Duration due(int request) {
        return Duration.ofNanos(request * (SECOND_NANOS / perSecond));
    }

    /** The user who sends a request: all users take turns. */
    String user(int request) {
        return "user" + request % users;
    }

    /** Sends requests for this time, and returns when all are answered. */
    Tally run(Duration time) {
        Tally tally = new Tally();
        int requests = requestsIn(time);
        AtomicInteger unanswered = new AtomicInteger(requests);
        CompletableFuture<Object> end = new CompletableFuture<>();
        long start = System.nanoTime();
        for (int i = 0; i < requests; i++) {
            long due = start + due(i).toNanos();
            waitUntil(due);
            connections.get(i % CONNECTIONS).get("/hello/" + user(i), status -> {
                count(tally, System.nanoTime() - due, status);
                if (unanswered.decrementAndGet() == 0) {
                    end.complete(tally);
                }
            });
        }
        CompletableFuture.anyOf(end, appEnd).join();
        tally.took(System.nanoTime() - start);
        return tally;
    }

    private static void waitUntil(long nanos) {
        for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private static void count(Tally tally, long tookNanos, int status) {
        switch (status) {
            case OK -> tally.add(tookNanos, true, null);
            case TOO_MANY_REQUESTS -> tally.add(tookNanos, false, null);
            default -> tally.add(tookNanos, null, new IllegalStateException("status " + status));
        }
    }

    @Override
    public void close() {
        connections.forEach(PipelinedConnection::close);
    }
}
