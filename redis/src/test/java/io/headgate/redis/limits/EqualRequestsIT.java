package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.testkit.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Concurrent equal requests, which one script call counts in one step, each receive the decision that they would receive alone. */
@Timeout(60)
class EqualRequestsIT {

    private static final Duration SEVEN_SECONDS = Duration.ofSeconds(7);

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private final ManualClock clock = ManualClock.at(Instant.parse("2026-01-01T12:00:00.000123Z"));

    static Stream<Limit> limits() {
        return Stream.of(
                Limit.tokenBucket(50, 3, SEVEN_SECONDS),
                Limit.leakyBucket(50, 3, SEVEN_SECONDS),
                Limit.leakyBucket(50, 3, SEVEN_SECONDS).shaper(),
                Limit.slidingWindow(50, SEVEN_SECONDS),
                Limit.slidingCounter(50, SEVEN_SECONDS),
                Limit.fixedWindow(50, SEVEN_SECONDS));
    }

    @ParameterizedTest
    @MethodSource("limits")
    void each_request_receives_the_decision_that_it_would_receive_alone(Limit limit) {
        Policy policy = Policy.of("crowd", limit, Attributes.KEY);
        try (InMemoryLimitEngine memory =
                        InMemoryLimitEngine.builder().time(clock).build();
                RedisLimitEngine batching = Engines.builder(redis.proxy.url())
                        .time(clock)
                        .maxCachedDenials(0)
                        .build()) {
            Limiter oneByOne = memory.limiter(policy);
            AsyncLimiter batched = batching.limiter(policy).async();
            for (int permits = 1; permits <= 2; permits++) {
                redis.proxy.holdReplies();
                List<CompletableFuture<Decision>> decisions = new ArrayList<>();
                List<Decision> expected = new ArrayList<>();
                for (int i = 0; i < 40; i++) {
                    decisions.add(batched.tryAcquire(PermitRequest.of("a").withPermits(permits))
                            .toCompletableFuture());
                    expected.add(oneByOne.tryAcquire(PermitRequest.of("a").withPermits(permits)));
                }
                redis.proxy.resume();
                assertThat(decisions.stream().map(CompletableFuture::join)).containsExactlyElementsOf(expected);
                clock.advance(Duration.ofMillis(1234));
            }
        }
    }
}
