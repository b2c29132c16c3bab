package io.headgate.bench.limits;

import io.headgate.bench.limits.ClosedLoop.LoneCaller;
import io.headgate.bench.peers.Subject;
import io.headgate.bench.peers.Subject.Gate;
import io.headgate.bench.peers.Subject.Quota;
import io.headgate.bench.report.Metrics;
import io.headgate.bench.report.Readings.Recorder;
import io.headgate.bench.run.Choice.Lookup;
import io.headgate.bench.run.Pace;
import io.headgate.bench.run.RedisMeter;
import io.headgate.bench.run.Scenario;
import io.headgate.bench.run.Scenario.Arena;
import io.headgate.bench.run.Tally;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Subjects on Redis, each over one connection (Redisson: its default pool), with a number of requests in flight that depends on the
 * scenario.
 */
final class RedisScenario implements Scenario {

    private static final int IN_FLIGHT = 64;
    private static final int MANY_IN_FLIGHT = 256;

    /** More permits than any subject uses. */
    private static final Quota PLENTY = new Quota(1_000_000, Duration.ofSeconds(1));

    /** The in-flight limit of a key; it has no window. */
    private static final Quota IN_FLIGHT_LIMIT = new Quota(10, Duration.ZERO);

    private static final int MANY_KEYS = 2000;
    private static final int SEQUENTIAL_REQUESTS = 20;

    /** The expected answers. */
    private enum Answer {
        ALLOWED("allowed"),
        DENIED("denied");

        private final String word;

        Answer(String word) {
            this.word = word;
        }

        long of(Tally tally) {
            return this == ALLOWED ? tally.allowed() : tally.denied();
        }
    }

    private final Arena arena;
    private final String name;
    private final Pace.Timing timing;
    private final int inFlight;
    private final Map<String, Subject> subjects = new LinkedHashMap<>();
    private final Quota quota;
    private final List<String> keys;
    private final Answer expected;
    private final Duration warmUpTime;

    private RedisScenario(
            String name,
            Arena arena,
            Pace.Timing timing,
            int inFlight,
            List<? extends Subject> subjects,
            Quota quota,
            int keys,
            Answer expected,
            Duration warmUpTime) {
        this.arena = arena;
        this.timing = timing;
        this.inFlight = inFlight;
        this.name = name;
        this.quota = quota;
        this.keys = IntStream.range(0, keys).mapToObj(i -> "user" + i).toList();
        this.expected = expected;
        this.warmUpTime = warmUpTime;
        subjects.forEach(subject -> this.subjects.put(subject.name(), subject));
    }

    /** Requests use 2 000 keys in turn. Each key has some tens of admissions in its window, far from its limit. */
    static RedisScenario spread(String name, Arena arena) {
        return spread(name, arena, IN_FLIGHT, Subjects.all());
    }

    /** Like {@link #spread}, with more requests in flight, which some subjects combine. */
    static RedisScenario coalesced(String name, Arena arena) {
        return spread(name, arena, MANY_IN_FLIGHT, Subjects.coalesced());
    }

    /** Like {@link #spread}, with one request at a time: the cost of combining requests when there is nothing to combine. */
    static RedisScenario lone(String name, Arena arena) {
        return spread(name, arena, 1, Subjects.withAndWithoutCoalescing());
    }

    /** Like {@link #coalesced}: the cost of counting hot keys, compared to the cost of calls. */
    static RedisScenario hotKeys(String name, Arena arena) {
        return spread(name, arena, MANY_IN_FLIGHT, Subjects.withAndWithoutHotKeys());
    }

    /** Like {@link #spread}: the cost of a rule that may ban, for requests that are admitted. */
    static RedisScenario banRules(String name, Arena arena) {
        return spread(name, arena, IN_FLIGHT, Subjects.withAndWithoutBans());
    }

    private static RedisScenario spread(String name, Arena arena, int inFlight, List<Subject> subjects) {
        Duration window = arena.pace().spreadWindow();
        Quota quota = new Quota(1000, window);
        return new RedisScenario(
                name, arena, arena.pace().redis(), inFlight, subjects, quota, MANY_KEYS, Answer.ALLOWED, window);
    }

    /** Requests acquire a hold and release it, for 2 000 keys in turn; a decision here is both. */
    static RedisScenario held(String name, Arena arena) {
        return new RedisScenario(
                name,
                arena,
                arena.pace().redis(),
                IN_FLIGHT,
                Subjects.holds(),
                IN_FLIGHT_LIMIT,
                MANY_KEYS,
                Answer.ALLOWED,
                Duration.ZERO);
    }

    /** All requests use one key and are admitted. */
    static RedisScenario hot(String name, Arena arena) {
        return hot(name, arena, IN_FLIGHT, Subjects.singleLimits(), PLENTY);
    }

    /** Like {@link #hot}, with more requests in flight. */
    static RedisScenario coalescedHot(String name, Arena arena) {
        return hot(name, arena, MANY_IN_FLIGHT, Subjects.coalescedOnOneKey(), PLENTY);
    }

    /** Like {@link #coalescedHot}, with a higher limit, because the subject with leased permits makes more decisions. */
    static RedisScenario leased(String name, Arena arena) {
        Quota quota = new Quota(1_000_000_000, Duration.ofSeconds(1));
        return hot(name, arena, MANY_IN_FLIGHT, Subjects.leasedOnOneKey(), quota);
    }

    private static RedisScenario hot(String name, Arena arena, int inFlight, List<Subject> subjects, Quota quota) {
        return new RedisScenario(
                name, arena, arena.pace().redis(), inFlight, subjects, quota, 1, Answer.ALLOWED, Duration.ZERO);
    }

    /** All requests use one key, whose permits are exhausted. */
    static RedisScenario denied(String name, Arena arena) {
        Quota quota = new Quota(100, Duration.ofMinutes(1));
        return new RedisScenario(
                name,
                arena,
                arena.pace().redis(),
                IN_FLIGHT,
                Subjects.singleLimits(),
                quota,
                1,
                Answer.DENIED,
                Duration.ZERO);
    }

    /** Like {@link #denied}, for subjects that cache denials and a peer, with a window that outlasts the scenario. */
    static RedisScenario flood(String name, Arena arena) {
        return flood(name, arena, Subjects.denyingOnOneKey());
    }

    /** Like {@link #flood}: the cost of counting hot keys, compared to the cost of cached denials. */
    static RedisScenario hotKeysDenied(String name, Arena arena) {
        return flood(name, arena, Subjects.withAndWithoutHotKeys());
    }

    private static RedisScenario flood(String name, Arena arena, List<Subject> subjects) {
        Quota quota = new Quota(100, Duration.ofHours(1));
        return new RedisScenario(
                name, arena, arena.pace().flood(), MANY_IN_FLIGHT, subjects, quota, 1, Answer.DENIED, Duration.ZERO);
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
        return List.copyOf(subjects.keySet());
    }

    @Override
    public Turns open() {
        arena.probe().flushAll();
        OpenGates open = new OpenGates();
        subjects.values().forEach(open::open);
        open.warmUpAll();
        return open;
    }

    /** The connected subjects; they stay connected for the whole scenario. */
    private final class OpenGates implements Turns {

        private final Map<String, Gate> gates = new LinkedHashMap<>();

        void open(Subject subject) {
            Gate gate = subject.open(arena.redis(), quota, keys);
            gates.put(subject.name(), gate);
            if (expected == Answer.DENIED && subject.limits()) {
                useUp(gate);
            }
        }

        /** Runs all subjects in turn until the warm-up of the scenario ends. */
        void warmUpAll() {
            long endNanos = System.nanoTime() + warmUpTime.toNanos();
            do {
                gates.values().forEach(gate -> run(gate, timing.turn()));
            } while (System.nanoTime() < endNanos);
        }

        private void useUp(Gate gate) {
            for (int i = 0; i < quota.permits(); i++) {
                gate.tryAcquire(keys.get(0)).toCompletableFuture().join();
            }
        }

        private Tally run(Gate gate, Duration time) {
            return inFlight == 1
                    ? new LoneCaller(gate, keys, time).run()
                    : new ClosedLoop(gate, keys, inFlight, time).run();
        }

        @Override
        public void take(String subject, Recorder into) {
            Gate gate = Lookup.required(gates, subject);
            into.add(Metrics.ROUND_TRIPS, roundTrips(gate));
            run(gate, timing.warmUp());
            RedisMeter before = RedisMeter.read(arena.probe());
            Tally tally = run(gate, timing.turn());
            record(tally, RedisMeter.read(arena.probe()).since(before), into);
            if (Lookup.required(subjects, subject).limits()) {
                into.expect(expected.of(tally), tally.decisions(), expected.word);
            }
            tally.failures().ifPresent(into::note);
        }

        /** Counts the reads by Redis: a sequential request causes one read for each round trip, and the probe causes one. */
        private double roundTrips(Gate gate) {
            RedisMeter before = RedisMeter.read(arena.probe());
            for (int i = 0; i < SEQUENTIAL_REQUESTS; i++) {
                gate.tryAcquire(keys.get(i % keys.size())).toCompletableFuture().join();
            }
            return (RedisMeter.read(arena.probe()).since(before).reads() - 1.0) / SEQUENTIAL_REQUESTS;
        }

        private void record(Tally tally, RedisMeter used, Recorder into) {
            double decisions = Math.max(1, tally.decisions());
            into.add(Metrics.DECISIONS_PER_SECOND, tally.perSecond());
            into.add(Metrics.REDIS_CPU_MICROS, used.cpuMicros() / decisions);
            into.add(Metrics.CALLS_PER_SECOND, used.scripts() / tally.seconds());
            into.add(Metrics.COMMANDS, used.commands() / decisions);
            into.add(Metrics.BYTES_IN, used.bytesIn() / decisions);
            into.add(Metrics.BYTES_OUT, used.bytesOut() / decisions);
            into.add(Metrics.P50_MICROS, tally.percentileMicros(50));
            into.add(Metrics.P99_MICROS, tally.percentileMicros(99));
        }

        @Override
        public void close() {
            gates.values().forEach(Gate::close);
        }
    }
}
