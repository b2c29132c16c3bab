package io.headgate.queues.internal;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** The bounds of arguments of queues. Each check throws an {@link IllegalArgumentException} that states the value and what is allowed. */
public final class JobBounds {

    /** The most jobs of one enqueue call that may have a delay, a due time or a key: each of them is inserted individually. */
    public static final int MAX_DELAYED_OR_KEYED = 200;

    /** The largest payload that settings of a queue may allow, in bytes. */
    public static final int MAX_PAYLOAD_BYTES = 256 << 10;

    /** The most bytes of a job's key, as UTF-8. */
    public static final int MAX_KEY_BYTES = 255;

    /** The most headers of a job. */
    public static final int MAX_HEADERS = 64;

    /** The most bytes of all headers of a job, names and values, as UTF-8. */
    public static final int MAX_HEADER_BYTES = 16 * 1024;

    /** The most bytes that are kept of one cause of a failure, as UTF-8; a longer cause is cut. */
    public static final int MAX_CAUSE_BYTES = 1500;

    /** The most jobs that one call enqueues, claims, settles, lists, redrives or deletes. */
    public static final int MAX_BATCH = 500;

    /** The most bytes of all jobs or entries of one call, with keys and headers. */
    public static final int MAX_BATCH_BYTES = 512 << 10;

    /** The longest delay. */
    public static final Duration MAX_DELAY = Duration.ofDays(3660);

    /** The longest lease. */
    public static final Duration MAX_LEASE = Duration.ofDays(1);

    /** The shortest lease. */
    public static final Duration MIN_LEASE = Duration.ofMillis(10);

    /** The most replicas whose confirmation a write may wait for. */
    public static final int MAX_REPLICAS = 100;

    /** The most tenants that one call may exclude. */
    public static final int MAX_EXCLUDED_TENANTS = 500;

    /** The most shards of a queue. */
    public static final int MAX_SHARDS = 64;

    private static final Duration MAX_SPACING = Duration.ofDays(1);
    private static final Duration MIN_CONFIRMATION = Duration.ofMillis(1);
    private static final Duration MAX_CONFIRMATION = Duration.ofMinutes(1);

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
    private static final Instant DUE_BEFORE = Instant.parse("2200-01-01T00:00:00Z");

    private JobBounds() {}

    /** Checks that {@code value} is from {@code min} to {@code max}, both included, and returns it. */
    public static long inRange(String what, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(what + " must be from " + min + " to " + max + ", was " + value);
        }
        return value;
    }

    /** Checks the name of a queue, and returns it. */
    public static String name(String name) {
        return name("queue", name);
    }

    /** Whether a name is valid for a queue, a stream, a group or a tenant. */
    public static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    /** Checks the name of a queue, a stream, a group or a tenant, and returns it. */
    public static String name(String what, String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "name of a " + what + " must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a"
                            + " letter or digit, was " + Quoted.of(name));
        }
        return name;
    }

    /** Checks that a delay is from 0 to 3660 days, and returns it. */
    public static Duration delay(Duration delay) {
        if (delay.isNegative() || delay.compareTo(MAX_DELAY) > 0) {
            throw new IllegalArgumentException("delay must be from 0 to 3660 days, was " + delay);
        }
        return delay;
    }

    /** Checks that a due time is from 1970 to the end of 2199, and returns it. */
    public static Instant due(Instant at) {
        if (at.isBefore(Instant.EPOCH) || !at.isBefore(DUE_BEFORE)) {
            throw new IllegalArgumentException("a job may be due from 1970 to the end of 2199, was " + at);
        }
        return at;
    }

    /** Checks that a lease is from 10 ms to 1 day, and returns it. */
    public static Duration lease(Duration lease) {
        if (lease.compareTo(MIN_LEASE) < 0 || lease.compareTo(MAX_LEASE) > 0) {
            throw new IllegalArgumentException("a lease must be from 10 ms to 1 day, was " + lease);
        }
        return lease;
    }

    /** Checks that the time between redriven jobs is from 0 to 1 day, and returns it. */
    public static Duration spacing(Duration spacing) {
        if (spacing.isNegative() || spacing.compareTo(MAX_SPACING) > 0) {
            throw new IllegalArgumentException("spacing must be from 0 to 1 day, was " + spacing);
        }
        return spacing;
    }

    /** Checks that the time for which done jobs are kept is from 1 ms to 3660 days, and returns it. */
    public static Duration keeping(Duration time) {
        if (time.compareTo(Duration.ofMillis(1)) < 0 || time.compareTo(MAX_DELAY) > 0) {
            throw new IllegalArgumentException("time to keep done jobs must be from 1 ms to 3660 days, was " + time);
        }
        return time;
    }

    /** Checks that the timeout of a confirmation is from 1 ms to 1 minute, and returns it. */
    public static Duration confirmation(Duration timeout) {
        if (timeout.compareTo(MIN_CONFIRMATION) < 0 || timeout.compareTo(MAX_CONFIRMATION) > 0) {
            throw new IllegalArgumentException("timeout of a durability must be from 1 ms to 1 minute, was " + timeout);
        }
        return timeout;
    }

    /** Checks that a key has 1 to 255 bytes of UTF-8, and returns it. */
    public static String key(String key) {
        int bytes = Utf8.length("key of a job", key);
        if (bytes < 1 || bytes > MAX_KEY_BYTES) {
            throw new IllegalArgumentException("key of a job must be 1 to " + MAX_KEY_BYTES + " bytes of UTF-8, was "
                    + bytes + ": " + Quoted.of(key));
        }
        return key;
    }

    /**
     * Checks the length of a grouping key, and of the grouping key and the job's key together, because they are stored as one text, with a
     * byte between them.
     */
    public static void group(String group, Optional<String> key) {
        int bytes = Utf8.length("grouping key of a job", group);
        if (bytes < 1 || bytes > MAX_KEY_BYTES) {
            throw new IllegalArgumentException("grouping key of a job must be 1 to " + MAX_KEY_BYTES
                    + " bytes of UTF-8, was " + bytes + ": " + Quoted.of(group));
        }
        key.ifPresent(value -> {
            int both = bytes + 1 + Utf8.length("key of a job", value);
            if (both > MAX_KEY_BYTES) {
                throw new IllegalArgumentException("grouping key and key of a job must be at most "
                        + (MAX_KEY_BYTES - 1) + " bytes of UTF-8 together, were " + (both - 1) + ": "
                        + Quoted.of(group) + " and " + Quoted.of(value));
            }
        });
    }

    /**
     * Checks the name of a tenant, and the length of the tenant, the grouping key and the job's key together, because they are stored
     * as one text, with up to two bytes between them.
     */
    public static void tenant(String tenant, Optional<String> group, Optional<String> key) {
        name("tenant", tenant);
        key.ifPresent(value -> {
            int bytes = tenant.length()
                    + group.map(name -> Utf8.length("grouping key of a job", name))
                            .orElse(0)
                    + Utf8.length("key of a job", value);
            if (bytes > MAX_KEY_BYTES - 2) {
                throw new IllegalArgumentException("tenant, grouping key and key of a job must be at most "
                        + (MAX_KEY_BYTES - 2) + " bytes of UTF-8 together, were " + bytes + ": " + Quoted.of(tenant)
                        + " and " + Quoted.of(value));
            }
        });
    }

    /** Checks that UTF-8 can encode the cause of a failure, and returns it. */
    public static String cause(String cause) {
        Utf8.of("cause", cause);
        return cause;
    }

    /** Checks the number, the names and the size of headers, and returns a copy. */
    public static Map<String, String> headers(Map<String, String> headers) {
        inRange("number of headers", headers.size(), 0, MAX_HEADERS);
        int bytes = 0;
        for (Map.Entry<String, String> header : headers.entrySet()) {
            if (header.getKey().isEmpty()) {
                throw new IllegalArgumentException("name of a header must not be empty");
            }
            bytes += Utf8.length("name of a header", header.getKey())
                    + Utf8.length("value of a header", header.getValue());
        }
        inRange("bytes of all headers", bytes, 0, MAX_HEADER_BYTES);
        return Map.copyOf(headers);
    }
}
