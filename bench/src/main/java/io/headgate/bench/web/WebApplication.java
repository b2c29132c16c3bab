package io.headgate.bench.web;

import io.headgate.bench.run.PipelinedConnection;
import io.headgate.bench.run.Tally;
import io.headgate.testkit.ChildJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** An application in its own process, and connections to it, each with one request in flight (a closed workload). */
final class WebApplication implements AutoCloseable {

    static final int CONNECTIONS = 16;

    /** The number of users of whom each request has one in turn. None of them reaches the limit. */
    static final int USERS = 100;

    /** How many requests of a user every limit admits at once, and how many a second. */
    static final int PERMITS = 250;

    private static final String READY = "ready ";
    private static final String FIELD = "X-User: ";
    private static final String END = "\r\n";
    private static final Duration START_TIME = Duration.ofMinutes(2);
    private static final int OK = 200;
    private static final int TOO_MANY_REQUESTS = 429;

    private final ChildJvm process;
    private final AtomicInteger cursor = new AtomicInteger();

    /** Fails when the application has ended. */
    private final CompletableFuture<Void> end = new CompletableFuture<>();

    private List<PipelinedConnection> connections = List.of();
    private List<String> filters = List.of();
    private long pid;

    private WebApplication(ChildJvm process) {
        this.process = process;
    }

    /** Starts a jar with these arguments, and does not wait until it is ready. */
    static WebApplication start(Path jar, List<String> arguments) {
        return new WebApplication(ChildJvm.ofJar(jar)
                .jvmOptions("-Xms256m", "-Xmx256m", "-XX:+UseSerialGC")
                .start(arguments.toArray(String[]::new)));
    }

    /** Waits until it accepts connections, and opens them. */
    void connect() {
        String[] ready =
                process.awaitLine(line -> line.startsWith(READY), START_TIME).split(" ", 4);
        pid = Long.parseLong(ready[1]);
        int port = Integer.parseInt(ready[2]);
        filters = List.of(ready[3].split(","));
        connections = IntStream.range(0, CONNECTIONS)
                .mapToObj(i -> new PipelinedConnection(port, end::completeExceptionally))
                .toList();
    }

    /** The names of the filters that it has. */
    List<String> filters() {
        return filters;
    }

    ProcessorTime processorTime() {
        return ProcessorTime.of(pid);
    }

    /** Sends requests of all users for this time, and returns when all are answered. */
    Tally run(Duration time) {
        long last = System.nanoTime() + time.toNanos();
        return run(new Tally(), this::nextUser, tally -> System.nanoTime() < last);
    }

    /** Sends requests of one user until one is denied, at most this number, and returns when all are answered. */
    Tally runUntilDenied(String user, int requests) {
        String field = FIELD + user + END;
        AtomicInteger left = new AtomicInteger(requests);
        return run(new Tally(), () -> field, tally -> tally.denied() == 0 && left.getAndDecrement() > 0);
    }

    private String nextUser() {
        return FIELD + "user" + Math.floorMod(cursor.getAndIncrement(), USERS) + END;
    }

    private Tally run(Tally tally, Supplier<String> user, Predicate<Tally> more) {
        long start = System.nanoTime();
        List<CompletableFuture<Void>> lanes = new ArrayList<>();
        for (PipelinedConnection connection : connections) {
            Lane lane = new Lane(connection, tally, user, more);
            lanes.add(lane.end);
            lane.sendNext();
        }
        CompletableFuture<Void> all = CompletableFuture.allOf(lanes.toArray(CompletableFuture<?>[]::new));
        CompletableFuture.anyOf(all, end).join();
        tally.took(System.nanoTime() - start);
        return tally;
    }

    @Override
    public void close() {
        connections.forEach(PipelinedConnection::close);
        process.close();
    }

    /** A connection: each response triggers its next request, on the thread that received the response. */
    private static final class Lane {

        final CompletableFuture<Void> end = new CompletableFuture<>();
        private final PipelinedConnection connection;
        private final Tally tally;
        private final Supplier<String> user;
        private final Predicate<Tally> more;

        Lane(PipelinedConnection connection, Tally tally, Supplier<String> user, Predicate<Tally> more) {
            this.connection = connection;
            this.tally = tally;
            this.user = user;
            this.more = more;
        }

        void sendNext() {
            if (more.test(tally)) {
                long sent = System.nanoTime();
                connection.get("/hello", user.get(), status -> answered(System.nanoTime() - sent, status));
            } else {
                end.complete(null);
            }
        }

        private void answered(long tookNanos, int status) {
            @Nullable
            Boolean allowed = status == OK ? Boolean.TRUE : status == TOO_MANY_REQUESTS ? Boolean.FALSE : null;
            tally.add(tookNanos, allowed, allowed == null ? new IllegalStateException("status " + status) : null);
            sendNext();
        }
    }
}
