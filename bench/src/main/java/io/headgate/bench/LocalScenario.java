package io.headgate.bench;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Subjects in memory, each turn run by JMH. */
final class LocalScenario implements Scenario {

    private final Pace pace;
    private final String name;
    private final int keys;
    private final Map<String, Integer> threadsByMetric;

    private LocalScenario(Arena arena, String name, int keys, Map<String, Integer> threadsByMetric) {
        this.pace = arena.pace();
        this.name = name;
        this.keys = keys;
        this.threadsByMetric = threadsByMetric;
    }

    /** One key, asked for by one thread. */
    static LocalScenario one(Arena arena) {
        return new LocalScenario(arena, "local-1", 1, Map.of(Metrics.DECISIONS_PER_SECOND, 1));
    }

    /** One key, asked for by two threads. */
    static LocalScenario two(Arena arena) {
        return new LocalScenario(arena, "local-2", 1, Map.of(Metrics.DECISIONS_PER_SECOND, 2));
    }

    /** 100 000 keys, asked for by one thread, and by two. */
    static LocalScenario manyKeys(Arena arena) {
        return new LocalScenario(
                arena,
                "local-100k",
                100_000,
                Map.of(Metrics.DECISIONS_PER_SECOND, 1, Metrics.DECISIONS_PER_SECOND_2, 2));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int rounds() {
        return pace.local().rounds();
    }

    @Override
    public List<String> subjects() {
        return Stream.of(LocalSubject.values()).map(subject -> subject.label).toList();
    }

    @Override
    public Turns open() {
        // JMH would refuse to run while another one does, which the medians can bear.
        System.setProperty("jmh.ignoreLock", "true");
        return new Turns() {
            @Override
            public void take(String subject, Recorder into) {
                threadsByMetric.entrySet().stream()
                        .sorted(Map.Entry.comparingByValue())
                        .forEach(entry -> into.add(entry.getKey(), perSecond(subject, entry.getValue())));
            }

            @Override
            public void close() {
                // Each turn ends what it began.
            }
        };
    }

    private double perSecond(String label, int threads) {
        LocalSubject subject = Stream.of(LocalSubject.values())
                .filter(one -> one.label.equals(label))
                .findAny()
                .orElseThrow();
        Options options = new OptionsBuilder()
                .include("^" + LocalBenchmark.class.getName() + ".ask$")
                .param("subject", subject.name())
                .param("keys", Integer.toString(keys))
                .threads(threads)
                .forks(pace.forks() ? 1 : 0)
                .warmupIterations(1)
                .warmupTime(TimeValue.milliseconds(pace.local().runInMillis()))
                .measurementIterations(1)
                .measurementTime(TimeValue.milliseconds(pace.local().turnMillis()))
                .verbosity(VerboseMode.SILENT)
                .shouldFailOnError(true)
                .build();
        try {
            RunResult result = new Runner(options).runSingle();
            return result.getPrimaryResult().getScore();
        } catch (RunnerException e) {
            throw new IllegalStateException(name + " of " + label + " did not run", e);
        }
    }
}
