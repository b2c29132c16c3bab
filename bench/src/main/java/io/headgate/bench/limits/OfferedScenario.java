package io.headgate.bench.limits;

import io.headgate.bench.limits.OfferedApp.Usage;
import io.headgate.bench.peers.Subject.Quota;
import io.headgate.bench.report.Metrics;
import io.headgate.bench.report.Readings.Recorder;
import io.headgate.bench.run.Choice.Lookup;
import io.headgate.bench.run.Pace;
import io.headgate.bench.run.RedisMeter;
import io.headgate.bench.run.Scenario;
import io.headgate.bench.run.Scenario.Arena;
import io.headgate.bench.run.Tally;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.testkit.ChildJvm;
import io.headgate.testkit.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * 10 000 requests a second to a small application, limited by each algorithm in turn, and without a limit. Each of 950 users sends a
 * request every 95 ms, about ten and a half a second, and is allowed five a second. With this interval, no request is due near the end
 * of a window that an earlier request started. With 100 ms, requests would be due exactly at that end, and the network delay would
 * decide in which window they count.
 */
final class OfferedScenario implements Scenario {

    static final int PER_SECOND = 10_000;
    static final int USERS = 950;
    static final Quota QUOTA = new Quota(5, Duration.ofSeconds(1));
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final String name;
    private final Arena arena;
    private final Pace.Timing timing;

    OfferedScenario(String name, Arena arena) {
        this.name = name;
        this.arena = arena;
        this.timing = arena.pace().offered();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int rounds() {
        return timing.rounds();
    }

    @Override
    public List<String> subjects() {
        return Stream.concat(
                        Stream.of(OfferedApp.NONE),
                        Subjects.algorithms().stream().map(HeadgateSubject::name))
                .toList();
    }

    @Override
    public Turns open() {
        Applications applications = new Applications();
        subjects().forEach(applications::start);
        applications.warmUp();
        return applications;
    }

    /** The applications, one for each subject. All of them run for the whole scenario, and are idle except in their turns. */
    private final class Applications implements Turns {

        private final Map<String, ChildJvm> processes = new LinkedHashMap<>();
        private final Map<String, OpenLoop> loops = new LinkedHashMap<>();

        void start(String subject) {
            processes.put(
                    subject,
                    ChildJvm.of(OfferedApp.class)
                            .jvmOptions("-Xms256m", "-Xmx256m")
                            .start(
                                    subject,
                                    arena.redis().url(),
                                    Long.toString(QUOTA.permits()),
                                    Long.toString(QUOTA.window().toMillis())));
        }

        void warmUp() {
            processes.forEach((subject, process) -> {
                String ready = process.awaitLine(line -> line.startsWith(OfferedApp.READY), TIMEOUT);
                int port = Integer.parseInt(ready.substring(OfferedApp.READY.length()));
                loops.put(subject, new OpenLoop(port, PER_SECOND, USERS));
            });
            loops.values().forEach(loop -> loop.run(timing.warmUp()));
        }

        @Override
        public void take(String subject, Recorder into) {
            OpenLoop loop = Lookup.required(loops, subject);
            arena.probe().flushAll();
            Usage usedBefore = usage(subject);
            RedisMeter redisBefore = RedisMeter.read(arena.probe());
            Instant start = Instant.now();
            Tally tally = loop.run(timing.turn());
            RedisMeter redis = RedisMeter.read(arena.probe()).since(redisBefore);
            Usage used = usage(subject);

            double requests = loop.requestsIn(timing.turn());
            into.add(Metrics.DECISIONS_PER_SECOND, tally.perSecond());
            into.add(Metrics.P50_MICROS, tally.percentileMicros(50));
            into.add(Metrics.P99_MICROS, tally.percentileMicros(99));
            into.add(Metrics.APP_CPU_MICROS, (used.cpuNanos() - usedBefore.cpuNanos()) / requests / 1000);
            into.add(Metrics.APP_MEMORY_BYTES, used.memoryBytes());
            into.add(Metrics.REDIS_CPU_MICROS, redis.cpuMicros() / requests);
            into.add(Metrics.REDIS_MEMORY_BYTES, redis.memoryBytes());
            into.add(Metrics.ALLOWED, tally.allowed());
            into.add(Metrics.DENIED, tally.denied());
            into.add(Metrics.ALLOWED_BY_MODEL, allowedByModel(subject, loop, start));
            tally.failures().ifPresent(into::note);
        }

        private Usage usage(String subject) {
            ChildJvm process = Lookup.required(processes, subject);
            process.send("usage");
            return Usage.parse(process.nextLine(TIMEOUT).orElseThrow());
        }

        /** How many requests the same algorithm allows in memory, if each request is decided at the time when it was due. */
        private double allowedByModel(String subject, OpenLoop loop, Instant start) {
            int requests = loop.requestsIn(timing.turn());
            if (subject.equals(OfferedApp.NONE)) {
                return requests;
            }
            ManualClock clock = ManualClock.at(start);
            int allowed = 0;
            try (InMemoryLimitEngine limits =
                    InMemoryLimitEngine.builder().time(clock).build()) {
                Limiter limiter = limits.limiter(Subjects.algorithm(subject).policy(QUOTA));
                for (int i = 0; i < requests; i++) {
                    allowed += limiter.tryAcquire(loop.user(i)).allowed() ? 1 : 0;
                    clock.advance(loop.due(1));
                }
            }
            return allowed;
        }

        @Override
        public void close() {
            loops.values().forEach(OpenLoop::close);
            processes.values().forEach(ChildJvm::close);
            arena.probe().flushAll();
        }
    }
}
