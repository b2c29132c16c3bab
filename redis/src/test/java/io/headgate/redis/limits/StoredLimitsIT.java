package io.headgate.redis.limits;

import io.headgate.limits.Attributes;
import io.headgate.limits.CalendarWindow.Unit;
import io.headgate.limits.Decision;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.RequestId;
import io.headgate.limits.internal.decision.EngineDecision;
import io.headgate.redis.Golden;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.conditions.ServerVersionSensitive;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The keys that rate limits store, with their bytes, after one history: a change of the format changes a committed file. */
@ServerVersionSensitive
class StoredLimitsIT {

    private static final Instant START = Instant.parse("2026-11-21T12:00:00Z");
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Attributes ALICE = Attributes.of(Attributes.USER, "alice");
    private static final Attributes MUELLER = Attributes.of(Attributes.USER, "Müller, 50% {a}");

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    @Test
    void stored_keys_and_bytes_are_those_of_the_committed_file() {
        ManualClock clock = ManualClock.at(START);
        try (RedisLimitEngine limits = redis.limits().time(clock).build()) {
            Limiter api = limits.limiter(Policy.named("api")
                    .rule("fixed", Limit.fixedWindow(100, MINUTE), Attributes.USER)
                    .rule("calendar", Limit.calendarWindow(100, Unit.DAY, ZoneOffset.UTC), Attributes.USER)
                    .rule("sliding", Limit.slidingWindow(100, MINUTE), Attributes.USER)
                    .rule("counter", Limit.slidingCounter(100, MINUTE), Attributes.USER)
                    .rule("bucket", Limit.tokenBucket(100, 7, MINUTE), Attributes.USER)
                    .rule("leaky", Limit.leakyBucket(100, 7, MINUTE), Attributes.USER)
                    .build());
            Limiter login = limits.limiter(Policy.of("login", Limit.slidingWindow(2, MINUTE), Attributes.USER));
            for (int i = 0; i < 40; i++) {
                clock.advance(Duration.ofMillis(1_234));
                api.tryAcquire(PermitRequest.of(ALICE).withPermits(1 + i % 3));
                login.tryAcquire(PermitRequest.of(MUELLER));
            }
            api.tryAcquire(PermitRequest.of(ALICE).withPermits(2).withId(RequestId.of("order 17")));
            Decision refunded = EngineDecision.require(api.tryAcquire(PermitRequest.of(ALICE)))
                    .withChargeId(-1); // The same in every run: it is part of the name of a key.
            api.refund(ALICE, refunded);
            limits.allow("alice", "/api/reply", 5, MINUTE);
            // A peek stores nothing.
            limits.inFlight(InFlightPolicy.of("exports", 3, Attributes.USER)).peek(PermitRequest.of(ALICE));
            Golden.assertStored("limits.txt", redis.probe);
        }
    }
}
