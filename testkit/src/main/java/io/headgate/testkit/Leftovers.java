package io.headgate.testkit;

import java.util.List;

/**
 * Looks in a Redis for keys of Headgate's that would stay for ever.
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

    /** Looks at all keys with the usual prefix. */
    public static Leftovers in(String url) {
        return in(url, "hg:*");
    }

    /** Looks at the keys that match the pattern, as of SCAN. */
    public static Leftovers in(String url, String pattern) {
        return new Leftovers(url, pattern);
    }

    /**
     * Looks now.
     *
     * @throws AssertionError when there is a key without expiry; it names all of them
     */
    public void requireNone() {
        try (RedisProbe probe = RedisProbe.of(url)) {
            List<String> left = probe.keysWithoutExpiry(pattern);
            if (!left.isEmpty()) {
                throw new AssertionError("keys that would stay for ever: " + left);
            }
        }
    }
}
