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
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Subjects on Redis, each over one connection with as many requests in flight as the scenario says. */
final class RedisScenario implements Scenario {

    private static final int IN_FLIGHT = 64;
    private static final int MANY_IN_FLIGHT = 256;

    /** More permits than any subject uses. */
    private static final Quota PLENTY = new Quota(1_000_000, Duration.ofSeconds(1));

    /** The permits of a key in flight; there is no window. */
    private static final Quota PLACES = new Quota(10, Duration.ZERO);

    private static final int MANY_KEYS = 2000;
    private static final int ONE_BY_ONE = 20;

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
    private final Duration settling;

    private RedisScenario(
            String name,
            Arena arena,
            Pace.Timing timing,
            int inFlight,
            List<? extends Subject> subjects,
            Quota quota,
            int keys,
            Answer expected,
            Duration settling) {
        this.arena = arena;
        this.timing = timing;
        this.inFlight = inFlight;
        this.name = name;
        this.quota = quota;
        this.keys = IntStream.range(0, keys).mapToObj(i -> "user" + i).toList();
        this.expected = expected;
        this.settling = settling;
        subjects.forEach(subject -> this.subjects.put(subject.name(), subject));
    }

    /** 2 000 keys by turns, each with some tens of admissions in its window, which are far from its limit. */
    static RedisScenario spread(String name, Arena arena) {
        return spread(name, arena, IN_FLIGHT, Subjects.all());
    }

    /** Like {@link #spread}, with more requests in flight, which some subjects combine. */
    static RedisScenario coalesced(String name, Arena arena) {
        return spread(name, arena, MANY_IN_FLIGHT, Subjects.coalesced());
    }

    /** Like {@link #spread}, with one request at a time: the cost of combining where there is nothing to combine. */
    static RedisScenario lone(String name, Arena arena) {
        return spread(name, arena, 1, Subjects.withAndWithoutCoalescing());
    }

    /** Like {@link #coalesced}: the cost of counting hot keys, compared to a call. */
    static RedisScenario hotKeys(String name, Arena arena) {
        return spread(name, arena, MANY_IN_FLIGHT, Subjects.withAndWithoutHotKeys());
    }

    private static RedisScenario spread(String name, Arena arena, int inFlight, List<Subject> subjects) {
        Duration window = arena.pace().spreadWindow();
        Quota quota = new Quota(1000, window);
        return new RedisScenario(
                name, arena, arena.pace().redis(), inFlight, subjects, quota, MANY_KEYS, Answer.ALLOWED, window);
    }

    /** A hold is acquired and released, for 2 000 keys in turn; both together are one decision. */
    static RedisScenario held(String name, Arena arena) {
        return new RedisScenario(
                name,
                arena,
                arena.pace().redis(),
                IN_FLIGHT,
                Subjects.holds(),
                PLACES,
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

    /** Like {@link #coalescedHot}; one subject makes no call for most decisions, and so uses more permits. */
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

    /** Like {@link #denied}, for subjects that cache denials, with a window that outlasts the scenario. */
    static RedisScenario flood(String name, Arena arena) {
        return flood(name, arena, Subjects.denyingOnOneKey());
    }

    /** Like {@link #flood}: the cost of counting hot keys, compared to a cached denial. */
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
        open.settle();
        return open;
    }

    /** The subjects, connected; each stays so for the whole scenario. */
    private final class OpenGates implements Turns {

        private final Map<String, Gate> gates = new LinkedHashMap<>();

        void open(Subject subject) {
            Gate gate = subject.open(arena.redis(), quota, keys);
            gates.put(subject.name(), gate);
            if (expected == Answer.DENIED && subject.limits()) {
                useUp(gate);
            }
        }

        /** Lets all run by turns until the scenario has run in. */
        void settle() {
            long endNanos = System.nanoTime() + settling.toNanos();
            do {
                gates.values().forEach(gate -> run(gate, timing.turn()));
            } while (System.nanoTime() < endNanos);
        }

        private void useUp(Gate gate) {
            for (int i = 0; i < quota.permits(); i++) {
                gate.ask(keys.get(0)).toCompletableFuture().join();
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
            run(gate, timing.runIn());
            RedisMeter before = RedisMeter.read(arena.probe());
            Tally tally = run(gate, timing.turn());
            record(tally, RedisMeter.read(arena.probe()).since(before), into);
            if (Lookup.required(subjects, subject).limits()) {
                into.expect(expected.of(tally), tally.decisions(), expected.word);
            }
            tally.failures().ifPresent(into::note);
        }

        /** Asked one by one, a request is one read by Redis for each round trip; and one is the probe's. */
        private double roundTrips(Gate gate) {
            RedisMeter before = RedisMeter.read(arena.probe());
            for (int i = 0; i < ONE_BY_ONE; i++) {
                gate.ask(keys.get(i % keys.size())).toCompletableFuture().join();
            }
            return (RedisMeter.read(arena.probe()).since(before).reads() - 1.0) / ONE_BY_ONE;
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
