package io.headgate.redis.limits;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Limit;
import io.headgate.limits.PermitRequest;
import io.headgate.redis.limits.Admissions.Reply;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;

/** A program that requests permits of one key as fast as it can, a given number of times, and records every reply. */
final class RequestProcess {

    private static final int IN_FLIGHT = 16;

    /** The kind of limit, and the meaning of the length of an {@link Order}. */
    enum Kind {
        /** The length is the window. */
        SLIDING_WINDOW,
        /** The length is the time in which a full bucket leaks out. */
        SHAPER,
        /** The length is the offset of the time zone from UTC. */
        DAY;

        Limit limit(long permits, long lengthMicros) {
            Duration length = Duration.of(lengthMicros, ChronoUnit.MICROS);
            return switch (this) {
                case SLIDING_WINDOW -> Limit.slidingWindow(permits, length);
                case SHAPER -> Limit.leakyBucket(permits, permits, length).shaper();
                case DAY ->
                    Limit.calendarWindow(
                            permits, CalendarWindow.Unit.DAY, ZoneOffset.ofTotalSeconds((int) length.toSeconds()));
            };
        }
    }

    /**
     * The parameters of one run, a line of input.
     *
     * @param lengthMicros a length, see {@link Kind}
     * @param seed of the random numbers of permits
     * @param file to write the replies to
     */
    record Order(String policy, Kind kind, long permits, long lengthMicros, int requests, long seed, Path file) {

        static Order parse(String line) {
            String[] fields = line.split(" ", 7);
            return new Order(
                    fields[0],
                    Kind.valueOf(fields[1]),
                    Long.parseLong(fields[2]),
                    Long.parseLong(fields[3]),
                    Integer.parseInt(fields[4]),
                    Long.parseLong(fields[5]),
                    Path.of(fields[6]));
        }

        String line() {
            return policy + " " + kind + " " + permits + " " + lengthMicros + " " + requests + " " + seed + " " + file;
        }

        Limit limit() {
            return kind.limit(permits, lengthMicros);
        }
    }

    private RequestProcess() {}

    /**
     * Argument: the URL. For each order it prints the time of its clock, waits for "go", runs the order and prints "done"; "end"
     * ends it.
     */
    public static void main(String[] arguments) throws Exception {
        try (RedisLimitEngine limits = Engines.builder(arguments[0]).build();
                BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = input.readLine(); !"end".equals(line); line = input.readLine()) {
                Order order = Order.parse(line);
                System.out.println("clock " + System.currentTimeMillis());
                // The test starts all processes at the same time.
                if (!"go".equals(input.readLine())) {
                    throw new IllegalStateException("the signal to start did not come");
                }
                Queue<Reply> replies = runOrder(limits, order);
                write(order.file(), replies.stream().map(Reply::line).toList());
                System.out.println("done " + replies.size());
            }
        }
    }

    private static Queue<Reply> runOrder(RedisLimitEngine limits, Order order) throws InterruptedException {
        long limit = order.permits();
        AsyncLimiter limiter = limits.limiter(order.policy(), order.limit()).async();
        SplittableRandom random = new SplittableRandom(order.seed());
        Queue<Reply> replies = new ConcurrentLinkedQueue<>();
        Semaphore free = new Semaphore(IN_FLIGHT);
        CompletableFuture<?>[] answers = new CompletableFuture<?>[order.requests()];
        for (int i = 0; i < answers.length; i++) {
            // Alternately 100 requests for one permit and 100 for random numbers.
            long permits = i / 100 % 2 == 0 ? 1 : 1 + random.nextLong(Math.min(limit, 1 + limit / 20));
            free.acquire();
            answers[i] = limiter.tryAcquire(PermitRequest.of("hot").withPermits(permits))
                    .thenAccept(decision -> replies.add(new Reply(
                            ChronoUnit.MICROS.between(Instant.EPOCH, decision.decidedAt()),
                            decision.allowed(),
                            permits,
                            limit,
                            decision.delay().toNanos() / 1000)))
                    .whenComplete((done, problem) -> free.release())
                    .toCompletableFuture();
        }
        CompletableFuture.allOf(answers).join();
        return replies;
    }

    private static void write(Path to, List<String> lines) throws IOException {
        try (PrintWriter file = new PrintWriter(Files.newBufferedWriter(to, StandardCharsets.UTF_8))) {
            lines.forEach(file::println);
        }
    }
}
