package io.headgate.bench.report;

import io.headgate.bench.report.Readings.Median;
import io.headgate.bench.report.Readings.Reading;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.DoubleBinaryOperator;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/** Computes a number from readings: mostly the median over all rounds. */
@FunctionalInterface
public interface Measure {

    /** The number; empty if a reading that it needs is missing. */
    OptionalDouble in(Readings readings);

    /** The median of a metric over all rounds. */
    static Measure of(String scenario, String metric, String subject) {
        return readings -> readings.median(scenario, subject, metric);
    }

    /** The minimum over all rounds. */
    static Measure least(String scenario, String metric, String subject) {
        return readings -> readings.rounds(scenario).stream()
                .flatMapToDouble(round -> readings.value(scenario, subject, metric, round).stream())
                .min();
    }

    /** The maximum over all rounds and subjects. */
    static Measure most(String scenario, String metric) {
        return readings -> readings.all().stream()
                .filter(reading ->
                        reading.scenario().equals(scenario) && reading.metric().equals(metric))
                .mapToDouble(Reading::value)
                .max();
    }

    /** The maximum over all rounds of one subject. */
    static Measure most(String scenario, String metric, String subject) {
        return readings -> readings.rounds(scenario).stream()
                .flatMapToDouble(round -> readings.value(scenario, subject, metric, round).stream())
                .max();
    }

    /** The sum over all rounds of the selected subjects. */
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
     * The median ratio of a subject's reading to that of another subject, or to the largest of several, within the same round. A
     * disturbance of a round mostly affects both.
     */
    static Measure ratio(String scenario, String metric, String subject, String... others) {
        return compared(scenario, metric, (ours, theirs) -> ours / theirs, subject, others);
    }

    /**
     * A quantile of the ratios of a subject's reading to that of another subject within the same round.
     *
     * @param quantile from 0, the smallest ratio, to 1, the largest; a ratio of a round, without interpolation
     */
    static Measure ratioAt(double quantile, String scenario, String metric, String subject, String other) {
        return readings -> {
            double[] ratios = readings.rounds(scenario).stream()
                    .flatMapToDouble(round -> {
                        OptionalDouble ours = readings.value(scenario, subject, metric, round);
                        OptionalDouble theirs = readings.value(scenario, other, metric, round);
                        return ours.isPresent() && theirs.isPresent()
                                ? DoubleStream.of(ours.getAsDouble() / theirs.getAsDouble())
                                : DoubleStream.empty();
                    })
                    .sorted()
                    .toArray();
            return ratios.length == 0
                    ? OptionalDouble.empty()
                    : OptionalDouble.of(ratios[(int) Math.round(quantile * (ratios.length - 1))]);
        };
    }

    /** One measure divided by another. */
    static Measure quotient(Measure dividend, Measure divisor) {
        return readings -> {
            OptionalDouble above = dividend.in(readings);
            OptionalDouble below = divisor.in(readings);
            return above.isPresent() && below.isPresent()
                    ? OptionalDouble.of(above.getAsDouble() / below.getAsDouble())
                    : OptionalDouble.empty();
        };
    }

    /** The median difference between the readings of two subjects within the same round. */
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
