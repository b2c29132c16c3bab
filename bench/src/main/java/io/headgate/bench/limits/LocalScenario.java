package io.headgate.bench.limits;

import io.headgate.bench.report.Metrics;
import io.headgate.bench.report.Readings.Recorder;
import io.headgate.bench.run.Choice.Lookup;
import io.headgate.bench.run.Pace;
import io.headgate.bench.run.Scenario;
import io.headgate.bench.run.Scenario.Arena;
import io.headgate.testkit.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Subjects in memory, each measured by JMH in a process of its own. */
final class LocalScenario implements Scenario {

    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private final Pace.Timing timing;
    private final String name;
    private final List<LocalSubject> subjects;
    private final int keys;
    private final List<Load> loads;

    /** A measurement: its metric, its number of threads, and whether to report also time and memory of one decision. */
    private record Load(String metric, int threads, boolean withCost) {

        Load(String metric, int threads) {
            this(metric, threads, false);
        }
    }

    /** What a worker has measured. */
    private record Result(double decisionsPerSecond, double allocatedBytes) {}

    private LocalScenario(String name, Arena arena, List<LocalSubject> subjects, int keys, Load... loads) {
        this.timing = arena.pace().local();
        this.name = name;
        this.subjects = subjects;
        this.keys = keys;
        this.loads = List.of(loads);
    }

    /** One key, used by one thread. */
    static LocalScenario one(String name, Arena arena) {
        return new LocalScenario(name, arena, LocalSubject.BESIDE_PEERS, 1, new Load(Metrics.DECISIONS_PER_SECOND, 1));
    }

    /** One key, used by two threads. */
    static LocalScenario two(String name, Arena arena) {
        return new LocalScenario(name, arena, LocalSubject.BESIDE_PEERS, 1, new Load(Metrics.DECISIONS_PER_SECOND, 2));
    }

    /** 100 000 keys, used by one thread, and by two. */
    static LocalScenario manyKeys(String name, Arena arena) {
        return new LocalScenario(
                name,
                arena,
                LocalSubject.BESIDE_PEERS,
                100_000,
                new Load(Metrics.DECISIONS_PER_SECOND, 1),
                new Load(Metrics.DECISIONS_PER_SECOND_2, 2));
    }

    /** 100 000 addresses, used by one thread, without bans and with as many as there may be. */
    static LocalScenario bans(String name, Arena arena) {
        return new LocalScenario(name, arena, LocalSubject.OF_BANS, 100_000, new Load(Metrics.DECISIONS_PER_SECOND, 1));
    }

    /** One key, used by one thread, without metrics and with them; also reports what one decision costs. */
    static LocalScenario metrics(String name, Arena arena) {
        return new LocalScenario(
                name, arena, LocalSubject.OF_METRICS, 1, new Load(Metrics.DECISIONS_PER_SECOND, 1, true));
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
        return subjects.stream().map(subject -> subject.label).toList();
    }

    @Override
    public Turns open() {
        Workers workers = new Workers();
        for (LocalSubject subject : subjects) {
            workers.start(subject);
        }
        workers.warmUp();
        return workers;
    }

    /** A worker process for each subject, for the whole scenario; only one works at a time. */
    private final class Workers implements Turns {

        private final Map<String, ChildJvm> workers = new LinkedHashMap<>();

        void start(LocalSubject subject) {
            workers.put(
                    subject.label,
                    ChildJvm.of(LocalWorker.class)
                            .jvmOptions("-Xms512m", "-Xmx512m")
                            .start(subject.name(), Integer.toString(keys)));
        }

        void warmUp() {
            workers.values().forEach(worker -> loads.forEach(load -> measure(worker, load, timing.warmUp())));
        }

        @Override
        public void take(String subject, Recorder into) {
            ChildJvm worker = Lookup.required(workers, subject);
            for (Load load : loads) {
                Result result = measure(worker, load, timing.turn());
                into.add(load.metric(), result.decisionsPerSecond());
                if (load.withCost()) {
                    into.add(Metrics.NANOS, 1e9 / result.decisionsPerSecond());
                    into.add(Metrics.ALLOCATED_BYTES, result.allocatedBytes());
                }
            }
        }

        private Result measure(ChildJvm worker, Load load, Duration time) {
            worker.send(LocalWorker.command(load.threads(), time.toMillis()));
            String answer = worker.awaitLine(line -> line.startsWith(LocalWorker.RESULT), TIMEOUT);
            String[] numbers = answer.substring(LocalWorker.RESULT.length()).split(" ");
            return new Result(Double.parseDouble(numbers[0]), Double.parseDouble(numbers[1]));
        }

        @Override
        public void close() {
            workers.values().forEach(ChildJvm::close);
        }
    }

    /**
     * The process in which JMH measures one subject in memory. Each line of its input has a number of threads and a number of milliseconds;
     * it then prints the decisions per second and the bytes that a decision allocates. It runs for all turns, so that its code stays compiled.
     */
    static final class LocalWorker {

        static final String RESULT = "decisionsPerSecond ";

        /** The result of JMH's profiler of garbage collection that counts per operation. */
        private static final String ALLOCATED = "gc.alloc.rate.norm";

        private LocalWorker() {}

        /** Runs until its input ends; the arguments are the name of a {@link LocalSubject} and the number of keys. */
        public static void main(String[] arguments) throws IOException, RunnerException {
            // Otherwise JMH refuses to run in two processes at the same time.
            System.setProperty("jmh.ignoreLock", "true");
            BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                String[] parts = line.split(" ");
                Options turn = new OptionsBuilder()
                        .include("^" + LocalBenchmark.class.getName() + ".decide$")
                        .param("subject", arguments[0])
                        .param("keys", arguments[1])
                        .threads(Integer.parseInt(parts[0]))
                        .forks(0)
                        .warmupIterations(0)
                        .measurementIterations(1)
                        .measurementTime(TimeValue.milliseconds(Long.parseLong(parts[1])))
                        .addProfiler(GCProfiler.class)
                        .verbosity(VerboseMode.SILENT)
                        .shouldFailOnError(true)
                        .build();
                RunResult result = new Runner(turn).runSingle();
                double allocated = Objects.requireNonNull(
                                result.getSecondaryResults().get(ALLOCATED), ALLOCATED)
                        .getScore();
                System.out.println(RESULT + result.getPrimaryResult().getScore() + " " + allocated);
            }
        }

        /** A line of its input. */
        static String command(int threads, long millis) {
            return threads + " " + millis;
        }
    }
}
