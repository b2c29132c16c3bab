package io.headgate.bench.limits;

import io.headgate.bench.peers.Subject;
import io.headgate.bench.peers.Subject.Gate;
import io.headgate.bench.peers.Subject.Quota;
import io.headgate.bench.report.Metrics;
import io.headgate.bench.report.Readings.Recorder;
import io.headgate.bench.run.Scenario;
import io.headgate.bench.run.Scenario.Arena;
import io.headgate.redis.limits.PassedTime;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.RedisProbe;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * What one user needs who uses a limit of so many a minute up: of ours the most over several such windows, asked evenly,
 * by a time that is passed in; of the peers, whose time can't be passed in, what a full window leaves behind.
 */
final class MemoryScenario implements Scenario {

    static final List<Integer> LIMITS = List.of(100, 1_000, 10_000);

    private static final Duration WINDOW = Duration.ofMinutes(1);
    private static final String USER = "u1";

    /** Memory is looked at so often in each window. */
    private static final int LOOKS = 50;

    private final String name;
    private final Arena arena;
    private final List<Subject> subjects = Subjects.stores();

    MemoryScenario(String name, Arena arena) {
        this.name = name;
        this.arena = arena;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int rounds() {
        return arena.pace().memoryRounds();
    }

    @Override
    public List<String> subjects() {
        return subjects.stream().map(Subject::name).toList();
    }

    @Override
    public Turns open() {
        return new Turns() {
            @Override
            public void take(String subject, Recorder into) {
                for (int limit : LIMITS) {
                    arena.probe().flushAll();
                    into.add(Metrics.BYTES_PER_KEY + limit, bytes(subject, new Quota(limit, WINDOW), into));
                }
            }

            @Override
            public void close() {
                arena.probe().flushAll();
            }
        };
    }

    private double bytes(String subjectName, Quota quota, Recorder into) {
        Subject subject = subjects.stream()
                .filter(one -> one.name().equals(subjectName))
                .findAny()
                .orElseThrow();
        return subject instanceof HeadgateSubject ours ? mostOf(ours, quota, into) : fullOf(subject, quota, into);
    }

    private double mostOf(HeadgateSubject subject, Quota quota, Recorder into) {
        ManualClock clock = ManualClock.at(Instant.now());
        Duration apart = WINDOW.dividedBy(quota.permits());
        int betweenLooks = (int) quota.permits() / LOOKS;
        int looks = LOOKS * arena.pace().memoryWindows();
        HeadgateRedis engine = HeadgateRedis.of(
                PassedTime.in(HeadgateRedis.builder(arena.redis().url()), clock));
        double most = 0;
        long allowed = 0;
        try (Gate gate = subject.gate(engine, quota)) {
            for (int look = 0; look < looks; look++) {
                List<CompletableFuture<Boolean>> answers = IntStream.range(0, betweenLooks)
                        .mapToObj(i -> {
                            clock.advance(apart);
                            return gate.ask(USER).toCompletableFuture();
                        })
                        .toList();
                allowed += answers.stream().filter(CompletableFuture::join).count();
                most = Math.max(most, bytesOfAllKeys());
            }
        }
        into.expect(allowed, (long) looks * betweenLooks, "allowed");
        return most;
    }

    /** One by one: many requests at a time for one key would take Bucket4j long. */
    private double fullOf(Subject subject, Quota quota, Recorder into) {
        try (Gate gate = subject.open(arena.redis(), quota, List.of(USER))) {
            long allowed = LongStream.range(0, quota.permits())
                    .filter(i -> gate.ask(USER).toCompletableFuture().join())
                    .count();
            into.expect(allowed, quota.permits(), "allowed");
            return bytesOfAllKeys();
        }
    }

    private double bytesOfAllKeys() {
        RedisProbe probe = arena.probe();
        double bytes = 0;
        if (probe.command("KEYS", "*") instanceof List<?> keys) {
            for (Object key : keys) {
                // All elements, not a sample of them.
                if (probe.command("MEMORY", "USAGE", String.valueOf(key), "SAMPLES", "0") instanceof Long size) {
                    bytes += size;
                }
            }
        }
        return bytes;
    }
}
