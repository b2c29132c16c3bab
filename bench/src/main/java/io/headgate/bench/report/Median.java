package io.headgate.bench.report;

import java.util.Arrays;
import java.util.OptionalDouble;

/** The value in the middle, or between the two that are. */
final class Median {

    private Median() {}

    static OptionalDouble of(double... values) {
        if (values.length == 0) {
            return OptionalDouble.empty();
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return OptionalDouble.of(sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2);
    }
}
