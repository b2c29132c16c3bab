package io.headgate.testkit;

import java.util.List;

/**
 * Finds keys of Headgate without an expiry in a Redis. Keys of limits must have one; keys of queues and streams need none.
 *
 * <pre>{@code
 * @AfterEach
 * void nothing_is_left_behind() {
 *     Leftovers.in(redis.url()).requireNone();
 * }
 * }</pre>
 */
public final class Leftovers {

    private final String url;
    private final String pattern;

    private Leftovers(String url, String pattern) {
        this.url = url;
        this.pattern = pattern;
    }

    /** Checks all keys with the default prefix. */
    public static Leftovers in(String url) {
        return in(url, "hg:*");
    }

    /**
     * Checks the keys that match this pattern of SCAN.
     *
     * @param pattern such as {@code hg:[^q]*} for a Redis that also has queues
     */
    public static Leftovers in(String url, String pattern) {
        return new Leftovers(url, pattern);
    }

    /**
     * Checks the keys now.
     *
     * @throws AssertionError if a key has no expiry; the message lists all of them
     */
    public void requireNone() {
        try (RedisProbe probe = RedisProbe.of(url)) {
            List<String> left = probe.keysWithoutExpiry(pattern);
            if (!left.isEmpty()) {
                throw new AssertionError("keys without expiry: " + left);
            }
        }
    }
}
