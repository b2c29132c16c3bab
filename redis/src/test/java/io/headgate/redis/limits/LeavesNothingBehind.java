package io.headgate.redis.limits;

import io.headgate.testkit.Leftovers;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test that leaves a key without an expiry.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final LeavesNothingBehind NOTHING_BEHIND = LeavesNothingBehind.in(REDIS.url());
 * }</pre>
 *
 * <p>It checks after the {@code @AfterEach} methods have run, so these must not empty the Redis. Empty it before each test.
 */
final class LeavesNothingBehind implements AfterEachCallback {

    private final Leftovers leftovers;

    private LeavesNothingBehind(Leftovers leftovers) {
        this.leftovers = leftovers;
    }

    /** Checks all keys with the usual prefix. */
    static LeavesNothingBehind in(String url) {
        return new LeavesNothingBehind(Leftovers.in(url));
    }

    /** Checks the keys that match this pattern of SCAN. */
    static LeavesNothingBehind in(String url, String pattern) {
        return new LeavesNothingBehind(Leftovers.in(url, pattern));
    }

    @Override
    public void afterEach(ExtensionContext context) {
        leftovers.requireNone();
    }
}
