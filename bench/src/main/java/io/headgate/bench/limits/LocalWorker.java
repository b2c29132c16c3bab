package io.headgate.bench.limits;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * A process in which JMH measures one subject in memory, turn by turn: to each line of its input, which says how many
 * threads and how many milliseconds, it answers with decisions a second. It stays, so that its code stays compiled.
 */
final class LocalWorker {

    static final String ANSWER = "decisionsPerSecond ";

    private LocalWorker() {}

    /** Runs until its input ends; the arguments are the name of a {@link LocalSubject} and the number of keys. */
    public static void main(String[] arguments) throws IOException, RunnerException {
        // JMH would refuse to run while another one does.
        System.setProperty("jmh.ignoreLock", "true");
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String[] parts = line.split(" ");
            Options turn = new OptionsBuilder()
                    .include("^" + LocalBenchmark.class.getName() + ".ask$")
                    .param("subject", arguments[0])
                    .param("keys", arguments[1])
                    .threads(Integer.parseInt(parts[0]))
                    .forks(0)
                    .warmupIterations(0)
                    .measurementIterations(1)
                    .measurementTime(TimeValue.milliseconds(Long.parseLong(parts[1])))
                    .verbosity(VerboseMode.SILENT)
                    .shouldFailOnError(true)
                    .build();
            System.out.println(
                    ANSWER + new Runner(turn).runSingle().getPrimaryResult().getScore());
        }
    }

    /** A line of its input. */
    static String question(int threads, long millis) {
        return threads + " " + millis;
    }
}
