package io.headgate.bench.report;

import java.util.Locale;

/** Writes numbers for readers: no more digits than mean something, and thousands apart. */
public final class Numbers {

    private static final int WHOLE_FROM = 1000;

    private Numbers() {}

    /** A cell of a table: three digits or all that are before the point. */
    public static String cell(double value) {
        double size = Math.abs(value);
        String format = size == Math.rint(size) || size >= 100 ? "%,.0f" : size >= 10 ? "%,.1f" : "%,.2f";
        return text(format, value);
    }

    /** A figure to reach: bytes whole, ratios to a hundredth. */
    static String figure(double value) {
        return text(Math.abs(value) >= WHOLE_FROM || value == Math.rint(value) ? "%,.0f" : "%,.2f", value);
    }

    private static String text(String format, double value) {
        return String.format(Locale.ROOT, format, value).replace(',', ' ');
    }
}
