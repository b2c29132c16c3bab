package io.headgate.server.queues;

import io.headgate.server.text.Quoted;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * How many jobs a second come back at most.
 *
 * @param spacing from one to the next; nothing where there is no bound
 */
public record Rate(Duration spacing) {

    public static final Rate UNBOUNDED = new Rate(Duration.ZERO);

    private static final BigDecimal LEAST = new BigDecimal("0.001");
    private static final BigDecimal MOST = BigDecimal.valueOf(1_000_000);

    /**
     * So many a second.
     *
     * @throws IllegalArgumentException when it is not from 0.001 to 1000000
     */
    public static Rate of(BigDecimal perSecond) {
        if (perSecond.compareTo(LEAST) < 0 || perSecond.compareTo(MOST) > 0) {
            throw new IllegalArgumentException(
                    "jobs a second must be from 0.001 to 1000000, were " + Quoted.of(perSecond.toString()));
        }
        // Rounded up, so that it is never more.
        long micros = MOST.divide(perSecond, 0, RoundingMode.CEILING).longValueExact();
        return new Rate(Duration.of(micros, ChronoUnit.MICROS));
    }

    /** Reads it on the command line. */
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

    /** For how long so many keep it busy. */
    public Duration timeOf(int jobs) {
        return spacing.multipliedBy(jobs);
    }
}
