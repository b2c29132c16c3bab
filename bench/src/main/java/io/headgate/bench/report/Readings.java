package io.headgate.bench.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.Predicate;

/** All readings of a run in their order, and notes about them. */
public final class Readings {

    private final List<Reading> all = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();

    public List<Reading> all() {
        return List.copyOf(all);
    }

    void add(Reading reading) {
        all.add(reading);
    }

    /** Adds a note that a reader of the figures needs, such as that requests failed. */
    public void note(String text) {
        notes.add(text);
    }

    public List<String> notes() {
        return List.copyOf(notes);
    }

    /** The scenarios that were measured, in order. */
    public List<String> scenarios() {
        return all.stream().map(Reading::scenario).distinct().toList();
    }

    /** The subjects of a scenario, in order. */
    public List<String> subjects(String scenario) {
        return all.stream()
                .filter(of(scenario))
                .map(Reading::subject)
                .distinct()
                .toList();
    }

    /** The metrics of a scenario, in order. */
    List<String> metrics(String scenario) {
        return all.stream().filter(of(scenario)).map(Reading::metric).distinct().toList();
    }

    /** The rounds of a scenario. */
    List<Integer> rounds(String scenario) {
        return all.stream()
                .filter(of(scenario))
                .map(Reading::round)
                .distinct()
                .sorted()
                .toList();
    }

    /** The reading of one round. */
    public OptionalDouble value(String scenario, String subject, String metric, int round) {
        return all.stream()
                .filter(of(scenario))
                .filter(reading -> reading.subject().equals(subject)
                        && reading.metric().equals(metric)
                        && reading.round() == round)
                .mapToDouble(Reading::value)
                .findFirst();
    }

    /** The median over all rounds. */
    public OptionalDouble median(String scenario, String subject, String metric) {
        return Median.of(rounds(scenario).stream()
                .map(round -> value(scenario, subject, metric, round))
                .flatMapToDouble(OptionalDouble::stream)
                .toArray());
    }

    /** Writes a JSON list of all readings, one to a line. */
    public void write(Path file) throws IOException {
        ObjectMapper json = new ObjectMapper();
        List<String> lines = new ArrayList<>();
        for (Reading reading : all) {
            lines.add(json.writeValueAsString(reading));
        }
        Files.writeString(file, "[\n" + String.join(",\n", lines) + "\n]\n");
    }

    private static Predicate<Reading> of(String scenario) {
        return reading -> reading.scenario().equals(scenario);
    }

    /**
     * A measured number.
     *
     * @param round the round, from 1; the readings of one round were taken shortly after each other
     */
    public record Reading(String scenario, String subject, String metric, int round, double value) {}

    /** Records the readings of one subject in one round of a scenario. */
    public record Recorder(Readings readings, String scenario, String subject, int round) {

        private static final double EXPECTED_SHARE = 0.99;

        public void add(String metric, double value) {
            readings.add(new Reading(scenario, subject, metric, round, value));
        }

        public void add(String metric, long value) {
            add(metric, (double) value);
        }

        /** Adds a note if less than 99 % of the answers were as expected; the first answers of a scenario may differ. */
        public void expect(long right, long all, String what) {
            if (right < EXPECTED_SHARE * all) {
                note("only " + right + " of " + all + " were " + what);
            }
        }

        public void note(String text) {
            readings.note(scenario + ", " + subject + ", round " + round + ": " + text);
        }
    }

    /** Computes medians: the value in the middle, or the mean of the two in the middle. */
    static final class Median {

        private Median() {}

        static OptionalDouble of(double... values) {
            if (values.length == 0) {
                return OptionalDouble.empty();
            }
            double[] sorted = values.clone();
            Arrays.sort(sorted);
            int middle = sorted.length / 2;
            return OptionalDouble.of(
                    sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2);
        }
    }
}
