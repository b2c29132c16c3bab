package io.headgate.redis;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Limit;
import io.headgate.redis.Admissions.Reply;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;

/** A process that asks for permits of one key as fast as it can, and writes down every reply. */
final class Hammer {

    private static final int IN_FLIGHT = 16;

    private Hammer() {}

    /** Arguments: URL, policy, limit, window in microseconds, how many requests, a seed, the file to write. */
    public static void main(String[] arguments) throws Exception {
        long limit = Long.parseLong(arguments[2]);
        Duration window = Duration.of(Long.parseLong(arguments[3]), ChronoUnit.MICROS);
        int requests = Integer.parseInt(arguments[4]);
        SplittableRandom random = new SplittableRandom(Long.parseLong(arguments[5]));
        ConcurrentLinkedQueue<Reply> replies = new ConcurrentLinkedQueue<>();
        try (RedisLimits limits = RedisLimits.builder()
                .url(arguments[0])
                .timeout(Duration.ofSeconds(30))
                .build()) {
            AsyncLimiter limiter = limits.limiter(arguments[1], Limit.slidingWindow(limit, window))
                    .async();
            System.out.println("clock " + System.currentTimeMillis());
            // All begin together, when the test says so.
            if (System.in.read() < 0) {
                throw new IllegalStateException("nobody said go");
            }
            Semaphore free = new Semaphore(IN_FLIGHT);
            CompletableFuture<?>[] answers = new CompletableFuture<?>[requests];
            for (int i = 0; i < requests; i++) {
                // Stretches of single permits, and stretches of any number.
                long permits = i / 100 % 2 == 0 ? 1 : 1 + random.nextLong(Math.min(limit, 1 + limit / 20));
                free.acquire();
                answers[i] = limiter.tryAcquire("hot", permits)
                        .thenAccept(decision -> replies.add(new Reply(
                                ChronoUnit.MICROS.between(Instant.EPOCH, decision.decidedAt()),
                                decision.allowed(),
                                permits,
                                limit)))
                        .whenComplete((done, problem) -> free.release())
                        .toCompletableFuture();
            }
            CompletableFuture.allOf(answers).join();
        }
        List<String> lines = replies.stream().map(Reply::line).toList();
        try (PrintWriter file =
                new PrintWriter(Files.newBufferedWriter(Path.of(arguments[6]), StandardCharsets.UTF_8))) {
            lines.forEach(file::println);
        }
        System.out.println("done " + lines.size());
    }
}
