package io.headgate.spring.internal;

import java.math.BigDecimal;
import java.util.Map;

/** How routes and methods read the values of a request. */
public final class RequestValues {

    /** How the value begins that counts in place of an absent one. Values of requests that begin so are absent. */
    public static final String ABSENT = "absent:";

    private static final BigDecimal TOO_MANY = BigDecimal.valueOf(Integer.MAX_VALUE);

    private RequestValues() {}

    /**
     * Returns the result of an expression as a text to count by.
     *
     * @throws IllegalArgumentException if it is a collection, or an object whose text is its identity, which differs in each process
     */
    public static String text(Object value) {
        String text = value.toString();
        boolean several = value instanceof Iterable
                || value instanceof Map
                || value.getClass().isArray();
        if (several || text.equals(value.getClass().getName() + '@' + Integer.toHexString(value.hashCode()))) {
            throw new IllegalArgumentException(
                    "must be a text, but was a " + value.getClass().getName());
        }
        return text;
    }

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
