package io.headgate.limits.internal;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The bounds of arguments. Each check throws an {@link IllegalArgumentException} that states the value and what is allowed. */
public final class Bounds {

    /** The most permits of a limit, except of an exact sliding window. */
    public static final long MAX_PERMITS = 1_000_000_000;

    /** The most permits of an exact sliding window, which stores each request in the window. */
    public static final long MAX_SLIDING_PERMITS = 1_000_000;

    /** The shortest window or period. */
    public static final Duration MIN_WINDOW = Duration.ofMillis(1);

    /** The longest window or period. */
    public static final Duration MAX_WINDOW = Duration.ofDays(366);

    /** The longest time in which an empty bucket may fill, or a full one leak out: ten years. */
    public static final long MAX_FILL_MICROS = 3660L * 24 * 3600 * 1_000_000;

    /** The most rules of a policy, and of all policies of a combined request: one script call may decide all of them. */
    public static final int MAX_RULES = 16;

    /** The most dimensions of a rule. */
    public static final int MAX_DIMENSIONS = 8;

    /** The most attributes of a request. */
    public static final int MAX_ATTRIBUTES = 32;

    /** The most overrides of a policy. */
    public static final int MAX_OVERRIDES = 100_000;

    /** The most sets of attribute names by which a rule has overrides: each request looks up each set. */
    public static final int MAX_OVERRIDE_NAMES = 16;

    private static final int MAX_OVERRIDE_ATTRIBUTES = 8;
    private static final int MAX_OVERRIDE_CHARACTERS = 1024;

    /** The most permits of an in-flight limit. */
    public static final long MAX_IN_FLIGHT = 100_000;

    /** The most permits of one hold, each of which is stored as an entry of its own. */
    public static final long MAX_HOLD_PERMITS = 100;

    /** The shortest lease of a hold. */
    public static final Duration MIN_HOLD_LEASE = Duration.ofSeconds(1);

    /** The longest lease of a hold. */
    public static final Duration MAX_HOLD_LEASE = Duration.ofHours(1);

    /** How long the decision of a request with an id is kept, by default. */
    public static final Duration REQUEST_ID_HORIZON = Duration.ofMinutes(1);

    private static final Duration MIN_HORIZON = Duration.ofSeconds(1);
    private static final Duration MAX_HORIZON = Duration.ofDays(1);

    private static final int MAX_NAME_CHARACTERS = 64;

    private Bounds() {}

    /** Checks that {@code value} is from {@code min} to {@code max}, both included, and returns it. */
    public static long inRange(String what, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(what + " must be from " + min + " to " + max + ", was " + value);
        }
        return value;
    }

    /** Checks that a window is from 1 ms to 366 days, in whole microseconds, and returns it in microseconds. */
    public static long windowMicros(String what, Duration window) {
        if (window.compareTo(MIN_WINDOW) < 0 || window.compareTo(MAX_WINDOW) > 0) {
            throw new IllegalArgumentException(what + " must be from 1 ms to 366 days, was " + window);
        }
        if (window.toNanosPart() % 1000 != 0) {
            throw new IllegalArgumentException(what + " must be a whole number of microseconds, was " + window);
        }
        return Micros.of(window);
    }

    /** Checks that an id is not empty, and returns it. */
    public static String id(String what, String id) {
        if (Objects.requireNonNull(id, () -> what + " must not be null").isEmpty()) {
            throw new IllegalArgumentException(what + " must not be empty; give at least one character");
        }
        return id;
    }

    /** Checks the permits of an exact sliding window, and returns them. */
    public static long slidingPermits(long permits) {
        if (permits > MAX_SLIDING_PERMITS) {
            throw new IllegalArgumentException("permits of a sliding window must be from 0 to " + MAX_SLIDING_PERMITS
                    + ", was " + permits + "; for more use Limit.slidingCounter, in YAML sliding-counter");
        }
        return inRange("permits of a sliding window", permits, 0, MAX_SLIDING_PERMITS);
    }

    /** Checks the name of a policy, rule, dimension or attribute, and returns it. */
    public static String name(String what, String name) {
        if (!isName(name)) {
            throw new IllegalArgumentException(what
                    + " must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit, was " + Quoted.of(name));
        }
        return name;
    }

    /** Not by a regular expression, since each request that has attributes calls it. */
    private static boolean isName(String name) {
        if (name.isEmpty() || name.length() > MAX_NAME_CHARACTERS || !isLetterOrDigit(name.charAt(0))) {
            return false;
        }
        for (int i = 1; i < name.length(); i++) {
            char c = name.charAt(i);
            if (!isLetterOrDigit(c) && c != '.' && c != '_' && c != '-') {
                return false;
            }
        }
        return true;
    }

    private static boolean isLetterOrDigit(char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
    }

    /** Checks the number and the names of a rule's dimensions, and that none occurs twice; returns a copy. */
    public static List<String> dimensions(String rule, List<String> dimensions) {
        inRange("number of dimensions of rule " + rule, dimensions.size(), 0, MAX_DIMENSIONS);
        for (String dimension : dimensions) {
            name("dimension of rule " + rule, dimension);
        }
        if (new HashSet<>(dimensions).size() != dimensions.size()) {
            throw new IllegalArgumentException("rule " + rule + " names a dimension twice: " + dimensions);
        }
        return List.copyOf(dimensions);
    }

    /** Checks the attributes that an override of a rule matches, and returns a copy. */
    public static Map<String, String> overrideAttributes(String rule, Map<String, String> when) {
        String of = " of an override of rule " + rule;
        inRange("number of attributes" + of, when.size(), 1, MAX_OVERRIDE_ATTRIBUTES);
        when.forEach((name, value) -> {
            name("name of an attribute" + of, name);
            inRange("number of characters of attribute " + name + of, value.length(), 1, MAX_OVERRIDE_CHARACTERS);
        });
        return Map.copyOf(when);
    }

    /** Checks that a duration is from {@code min} to {@code max}, in whole milliseconds, and returns it. */
    public static Duration wholeMillis(String what, Duration duration, Duration min, Duration max) {
        if (duration.compareTo(min) < 0 || duration.compareTo(max) > 0 || duration.toNanosPart() % 1_000_000 != 0) {
            throw new IllegalArgumentException(what + " must be from " + words(min) + " to " + words(max)
                    + ", in whole milliseconds, was " + duration);
        }
        return duration;
    }

    /** Returns the end of a range as text, such as {@code 30 s} or {@code 1 hour}. */
    private static String words(Duration duration) {
        if (duration.toNanos() % Duration.ofMinutes(1).toNanos() != 0) {
            return duration.toMillis() % 1000 == 0 ? duration.toSeconds() + " s" : duration.toMillis() + " ms";
        }
        if (duration.toMinutes() % 60 != 0) {
            return several(duration.toMinutes(), "minute");
        }
        return duration.toHours() % 24 == 0 ? several(duration.toDays(), "day") : several(duration.toHours(), "hour");
    }

    private static String several(long count, String unit) {
        return count + " " + unit + (count == 1 ? "" : "s");
    }

    /** Checks the number of permits of a hold; more than the limit is a denial, not an error. */
    public static void heldPermits(long permits) {
        inRange("permits of a hold", permits, 1, MAX_HOLD_PERMITS);
    }

    /** Checks the number of permits of a request; more than the limit is a denial, not an error. */
    public static void requestedPermits(long permits) {
        if (permits < 1) {
            throw new IllegalArgumentException(
                    "permits must be at least 1, was " + permits + "; use peek to read a count");
        }
    }

    /** Checks that the horizon of request ids is from 1 second to 1 day, in whole milliseconds, and returns it. */
    public static Duration requestIdHorizon(Duration horizon) {
        if (horizon.compareTo(MIN_HORIZON) < 0
                || horizon.compareTo(MAX_HORIZON) > 0
                || horizon.toNanosPart() % 1_000_000 != 0) {
            throw new IllegalArgumentException(
                    "requestIdHorizon must be from 1 second to 1 day, in whole milliseconds, was " + horizon);
        }
        return horizon;
    }

    /** Checks that the longest wait is from 0 to 366 days, and returns it in nanoseconds. */
    public static long maxWaitNanos(Duration maxWait) {
        if (maxWait.isNegative() || maxWait.compareTo(MAX_WINDOW) > 0) {
            throw new IllegalArgumentException("maxWait must be from 0 to 366 days, was " + maxWait);
        }
        return maxWait.toNanos();
    }
}
