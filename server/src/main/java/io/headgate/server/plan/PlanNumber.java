package io.headgate.server.plan;

import io.headgate.server.text.Quoted;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads numbers on the command line, also with separators as in {@code 100_000}. The plan checks their ranges. */
final class PlanNumber {

    private PlanNumber() {}

    /** A whole number. */
    static final class Whole implements ITypeConverter<Long> {

        @Override
        public Long convert(String given) {
            try {
                return Long.valueOf(given.replace("_", ""));
            } catch (NumberFormatException e) {
                throw new TypeConversionException(Quoted.of(given) + " is not a whole number");
            }
        }
    }

    /** A whole number that fits an {@code int}. */
    static final class Int implements ITypeConverter<Integer> {

        @Override
        public Integer convert(String given) {
            try {
                return Integer.valueOf(given.replace("_", ""));
            } catch (NumberFormatException e) {
                throw new TypeConversionException(Quoted.of(given) + " is not a whole number up to 2147483647");
            }
        }
    }

    /** A rate or a share. */
    static final class Decimal implements ITypeConverter<Double> {

        @Override
        public Double convert(String given) {
            try {
                return Double.valueOf(given.replace("_", ""));
            } catch (NumberFormatException e) {
                throw new TypeConversionException(Quoted.of(given) + " is not a number");
            }
        }
    }
}
