package io.headgate.server;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import java.time.Duration;

/** Decisions for tests of how they are shown. */
final class Decisions {

    static final Policy API = Policy.named("api")
            .rule("global", Limit.tokenBucket(2000, 1000, Duration.ofSeconds(1)))
            .rule("per-user", Limit.slidingWindow(100, Duration.ofMinutes(1)), Attributes.USER)
            .build();

    static final long AT_MICROS = 1_800_000_000_123_456L;

    private Decisions() {}

    /** Of both rules: permits remaining, microseconds to wait, microseconds until whole. */
    static Decision of(long... outcomes) {
        return Decision.of(API, AT_MICROS, outcomes);
    }

    static Decision allowed() {
        return of(1999, Decision.NOW, 1000, 60, Decision.NOW, 59_000_001);
    }

    static Decision denied() {
        return of(1999, Decision.NOW, 1000, 0, 41_234_567, 60_000_000);
    }

    static Decision neverAllowed() {
        return of(2000, Decision.NOW, 0, 100, Decision.NEVER, 0);
    }
}
