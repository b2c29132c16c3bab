package io.headgate.http;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.testkit.Decisions;
import java.time.Duration;
import java.time.Instant;

/** Decisions of one policy, for tests of their representation in HTTP. */
final class ApiDecisions {

    static final Rule GLOBAL = Rule.of("global", Limit.tokenBucket(2000, 1000, Duration.ofSeconds(1)));
    static final Rule PER_USER = Rule.of("per-user", Limit.slidingWindow(100, Duration.ofMinutes(1)), Attributes.USER);
    static final Policy API = Policy.named("api").rule(GLOBAL).rule(PER_USER).build();
    static final Instant AT = Instant.parse("2027-01-15T08:00:00.123456Z");

    private ApiDecisions() {}

    static Decision allowed() {
        return Decisions.allowed(API)
                .at(AT)
                .resetAfter("global", Duration.ofMillis(1))
                .remaining("per-user", 60)
                .resetAfter("per-user", Duration.ofNanos(59_000_001_000L))
                .build();
    }

    static Decision denied() {
        return Decisions.denied(API, "per-user")
                .at(AT)
                .resetAfter("global", Duration.ofMillis(1))
                .retryAfter(Duration.ofNanos(41_234_567_000L))
                .resetAfter(Duration.ofMinutes(1))
                .build();
    }

    static Decision notRetryable() {
        return Decisions.denied(API, "per-user")
                .at(AT)
                .remaining("global", 2000)
                .resetAfter("global", Duration.ZERO)
                .notRetryable()
                .remaining(100)
                .resetAfter(Duration.ZERO)
                .build();
    }
}
