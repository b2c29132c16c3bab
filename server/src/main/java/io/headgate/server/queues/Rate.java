package io.headgate.server.queues;

import io.headgate.server.text.Quoted;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A maximum rate of redriven jobs.
 *
 * @param spacing the time between two jobs; zero if unbounded
 */
public record Rate(Duration spacing) {

    public static final Rate UNBOUNDED = new Rate(Duration.ZERO);

    private static final BigDecimal LEAST = new BigDecimal("0.001");
    private static final BigDecimal MOST = BigDecimal.valueOf(1_000_000);
    private static final BigDecimal MICROS_PER_SECOND = BigDecimal.valueOf(1_000_000);

    /**
     * A number of jobs per second.
     *
     * @throws IllegalArgumentException if it is not from 0.001 to 1000000
     */
    public static Rate of(BigDecimal perSecond) {
        if (perSecond.compareTo(LEAST) < 0 || perSecond.compareTo(MOST) > 0) {
            throw new IllegalArgumentException(
                    "jobs per second must be from 0.001 to 1000000, was " + Quoted.of(perSecond.toString()));
        }
        // Rounded up, so that the rate is never exceeded.
        long micros =
                MICROS_PER_SECOND.divide(perSecond, 0, RoundingMode.CEILING).longValueExact();
        return new Rate(Duration.of(micros, ChronoUnit.MICROS));
    }

    /** Reads a rate on the command line. */
    public static final class Option implements ITypeConverter<Rate> {

        @Override
        public Rate convert(String given) {
            try {
                return of(new BigDecimal(given));
            } catch (NumberFormatException e) {
                throw new TypeConversionException(Quoted.of(given) + " is not a number from 0.001 to 1000000");
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(String.valueOf(e.getMessage()));
            }
        }
    }

    public boolean isBounded() {
        return !spacing.isZero();
    }

    /** The time that a number of jobs takes at this rate. */
    public Duration timeOf(int jobs) {
        return spacing.multipliedBy(jobs);
    }
}
