package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.RedisProbe;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test after which a key of Headgate's would stay for ever.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final LeavesNothingBehind NOTHING_BEHIND = LeavesNothingBehind.in(REDIS.url());
 * }</pre>
 *
 * <p>It looks after the methods that run after each test: those must not empty the Redis; do so before each.
 */
final class LeavesNothingBehind implements AfterEachCallback {

    private final String url;
    private final String pattern;

    private LeavesNothingBehind(String url, String pattern) {
        this.url = url;
        this.pattern = pattern;
    }

    /** Looks at all keys with the usual prefix. */
    static LeavesNothingBehind in(String url) {
        return in(url, "hg:*");
    }

    /** Looks at the keys that match the pattern, as of SCAN. */
    static LeavesNothingBehind in(String url, String pattern) {
        return new LeavesNothingBehind(url, pattern);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        verify();
    }

    /** Looks now. */
    void verify() {
        try (RedisProbe probe = RedisProbe.of(url)) {
            assertThat(probe.keysWithoutExpiry(pattern))
                    .as("keys that would stay for ever")
                    .isEmpty();
        }
    }
}
