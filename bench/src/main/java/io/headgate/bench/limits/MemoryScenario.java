package io.headgate.bench.limits;

import io.headgate.bench.peers.Subject;
import io.headgate.bench.peers.Subject.Gate;
import io.headgate.bench.peers.Subject.Quota;
import io.headgate.bench.report.Metrics;
import io.headgate.bench.report.Readings.Recorder;
import io.headgate.bench.run.Scenario;
import io.headgate.bench.run.Scenario.Arena;
import io.headgate.redis.limits.SimulatedTime;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.RedisProbe;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * The memory of one user who uses all permits of a minute. For Headgate, it is the maximum over several windows of evenly spaced
 * requests, in simulated time. For the peers, whose time cannot be simulated, it is the memory after all permits were used as fast as
 * possible.
 */
final class MemoryScenario implements Scenario {

    static final List<Integer> LIMITS = List.of(100, 1_000, 10_000);

    private static final Duration WINDOW = Duration.ofMinutes(1);
    private static final String USER = "u1";

    /** How often memory is measured in each window. */
    private static final int SAMPLES = 50;

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
        return subject instanceof HeadgateSubject ours
                ? maximumOverWindows(ours, quota, into)
                : afterOneWindow(subject, quota, into);
    }

    private double maximumOverWindows(HeadgateSubject subject, Quota quota, Recorder into) {
        ManualClock clock = ManualClock.at(Instant.now());
        Duration apart = WINDOW.dividedBy(quota.permits());
        int betweenSamples = (int) quota.permits() / SAMPLES;
        int samples = SAMPLES * arena.pace().memoryWindows();
        HeadgateRedis engine = HeadgateRedis.of(
                SimulatedTime.on(HeadgateRedis.builder(arena.redis().url()), clock));
        double most = 0;
        long allowed = 0;
        try (Gate gate = subject.gate(engine, quota)) {
            for (int sample = 0; sample < samples; sample++) {
                List<CompletableFuture<Boolean>> answers = IntStream.range(0, betweenSamples)
                        .mapToObj(i -> {
                            clock.advance(apart);
                            return gate.tryAcquire(USER).toCompletableFuture();
                        })
                        .toList();
                allowed += answers.stream().filter(CompletableFuture::join).count();
                most = Math.max(most, bytesOfAllKeys());
            }
        }
        into.expect(allowed, (long) samples * betweenSamples, "allowed");
        return most;
    }

    /** One request at a time: concurrent requests for one key are slow in Bucket4j. */
    private double afterOneWindow(Subject subject, Quota quota, Recorder into) {
        try (Gate gate = subject.open(arena.redis(), quota, List.of(USER))) {
            long allowed = LongStream.range(0, quota.permits())
                    .filter(i -> gate.tryAcquire(USER).toCompletableFuture().join())
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
