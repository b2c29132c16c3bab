package io.headgate.spring.internal;

import java.math.BigDecimal;

/** How routes and methods read the values of a request. */
public final class RequestValues {

    /** How the value begins that counts in place of an absent one. Values of requests that begin so are absent. */
    public static final String ABSENT = "absent:";

    private static final BigDecimal TOO_MANY = BigDecimal.valueOf(Integer.MAX_VALUE);

    private RequestValues() {}

    /**
     * Returns a number of permits. More permits than a limit can have become a number that every limit denies.
     *
     * @throws IllegalArgumentException if the value is no whole number
     */
    public static long permits(Object value) {
        try {
            BigDecimal permits = new BigDecimal(value.toString());
            return permits.compareTo(TOO_MANY) >= 0 ? TOO_MANY.longValue() : permits.longValueExact();
        } catch (ArithmeticException | NumberFormatException e) {
            throw new IllegalArgumentException("must be a whole number, but was " + value, e);
        }
    }
}
