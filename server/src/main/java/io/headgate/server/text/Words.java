package io.headgate.server.text;

import java.time.Duration;
import java.util.Locale;

/** Formats numbers, sizes, durations and enum constants as text. */
public final class Words {

    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};

    private Words() {}

    /** A number and a noun in the right form, for example {@code 1 key} or {@code 2 keys}. */
    public static String count(String number, String noun) {
        return number + " " + noun + (number.equals("1") ? "" : "s");
    }

    public static String count(long number, String noun) {
        return count(Long.toString(number), noun);
    }

    /** Bytes in the smallest unit in which they have at most three digits before the point. */
    public static String bytes(double bytes) {
        int unit = 0;
        double shown = bytes;
        // From 999.5 on, it would be rounded to 1000.
        while (shown >= 999.5 && unit < UNITS.length - 1) {
            shown /= 1024;
            unit++;
        }
        return String.format(Locale.ROOT, unit == 0 || shown >= 100 ? "%.0f %s" : "%.1f %s", shown, UNITS[unit]);
    }

    public static String bytes(long bytes) {
        return bytes((double) bytes);
    }

    /** The same as {@link #whole}, for tables that also have decimals. */
    public static String number(long number) {
        return whole(number);
    }

    /** A whole number with spaces between thousands. */
    public static String whole(long number) {
        return String.format(Locale.ROOT, "%,d", number).replace(',', ' ');
    }

    /** A number with spaces between thousands: below 100 with up to one decimal, otherwise rounded to a whole number. */
    public static String number(double number) {
        return number != 0 && Math.abs(number) < 100
                ? String.format(Locale.ROOT, "%.1f", number).replaceFirst("\\.0$", "")
                : String.format(Locale.ROOT, "%,.0f", number).replace(',', ' ');
    }

    /** A constant in lower case, as JSON spells it, too. */
    public static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** A constant in lower case with hyphens, for example {@code local-share}. */
    public static String hyphenated(Enum<?> constant) {
        return lower(constant).replace('_', '-');
    }

    /** A duration in its one or two largest units, for example {@code 4.2 s}, {@code 12 min} or {@code 3 h 5 min}; rounded down. */
    public static String span(Duration span) {
        if (span.compareTo(Duration.ofSeconds(1)) < 0) {
            return span.toMillis() + " ms";
        } else if (span.compareTo(Duration.ofMinutes(1)) < 0) {
            long tenths = span.toMillis() / 100;
            return String.format(Locale.ROOT, "%.1f s", tenths / 10.0);
        } else if (span.compareTo(Duration.ofHours(1)) < 0) {
            return span.toMinutes() + " min" + rest(span.toSecondsPart(), "s");
        } else if (span.compareTo(Duration.ofDays(1)) < 0) {
            return span.toHours() + " h" + rest(span.toMinutesPart(), "min");
        }
        return span.toDays() + " d" + rest(span.toHoursPart(), "h");
    }

    private static String rest(int number, String unit) {
        return number == 0 ? "" : " " + number + " " + unit;
    }
}
