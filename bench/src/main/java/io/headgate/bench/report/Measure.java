package io.headgate.bench.report;

import io.headgate.bench.report.Readings.Median;
import io.headgate.bench.report.Readings.Reading;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.DoubleBinaryOperator;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** A number drawn from readings: mostly the median over rounds of something within each round. */
@FunctionalInterface
public interface Measure {

    /** The number; none where what it needs was not measured. */
    OptionalDouble in(Readings readings);

    /** A reading as it is. */
    static Measure of(String scenario, String metric, String subject) {
        return readings -> readings.median(scenario, subject, metric);
    }

    /** The least of all rounds. */
    static Measure least(String scenario, String metric, String subject) {
        return readings -> readings.rounds(scenario).stream()
                .flatMapToDouble(round -> readings.value(scenario, subject, metric, round).stream())
                .min();
    }

    /** The most of all rounds and subjects. */
    static Measure most(String scenario, String metric) {
        return readings -> readings.all().stream()
                .filter(reading ->
                        reading.scenario().equals(scenario) && reading.metric().equals(metric))
                .mapToDouble(Reading::value)
                .max();
    }

    /** The most of all rounds of one subject. */
    static Measure most(String scenario, String metric, String subject) {
        return readings -> readings.rounds(scenario).stream()
                .flatMapToDouble(round -> readings.value(scenario, subject, metric, round).stream())
                .max();
    }

    /** The sum over all rounds of those subjects. */
    static Measure sum(String scenario, String metric, Predicate<String> subjects) {
        return readings -> {
            List<Reading> all = readings.all().stream()
                    .filter(one -> one.scenario().equals(scenario)
                            && one.metric().equals(metric)
                            && subjects.test(one.subject()))
                    .toList();
            return all.isEmpty()
                    ? OptionalDouble.empty()
                    : OptionalDouble.of(all.stream().mapToDouble(Reading::value).sum());
        };
    }

    /**
     * The reading of a subject over that of another, or over the greatest of several, taken in the same round: what
     * disturbs a round mostly disturbs both.
     */
    static Measure ratio(String scenario, String metric, String subject, String... others) {
        return compared(scenario, metric, (ours, theirs) -> ours / theirs, subject, others);
    }

    /** How much greater the reading of a subject is than that of another, taken in the same round. */
    static Measure difference(String scenario, String metric, String subject, String other) {
        return compared(scenario, metric, (ours, theirs) -> ours - theirs, subject, other);
    }

    private static Measure compared(
            String scenario, String metric, DoubleBinaryOperator comparison, String subject, String... others) {
        return readings -> medianOfRounds(readings, scenario, round -> {
            OptionalDouble ours = readings.value(scenario, subject, metric, round);
            OptionalDouble theirs = Stream.of(others)
                    .flatMapToDouble(other -> readings.value(scenario, other, metric, round).stream())
                    .max();
            return ours.isPresent() && theirs.isPresent()
                    ? OptionalDouble.of(comparison.applyAsDouble(ours.getAsDouble(), theirs.getAsDouble()))
                    : OptionalDouble.empty();
        });
    }

    private static OptionalDouble medianOfRounds(
            Readings readings, String scenario, IntFunction<OptionalDouble> inRound) {
        return Median.of(readings.rounds(scenario).stream()
                .flatMapToDouble(round -> inRound.apply(round).stream())
                .toArray());
    }
}
