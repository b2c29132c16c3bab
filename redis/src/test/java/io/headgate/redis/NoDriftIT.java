package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A token bucket on Redis admits what an exact bucket does, step for step, whatever fraction a permit takes. */
class NoDriftIT {

    private static final RedisServer REDIS = RedisServer.shared();

    @RegisterExtension
    static final LeavesNothingBehind NOTHING_BEHIND = LeavesNothingBehind.in(REDIS.url(), "drift:*");

    private static final long CAPACITY = 5;
    private static final int STEPS = 100_000;
    private static final int IN_FLIGHT = 1000;

    @ParameterizedTest
    @CsvSource({"7, 1000000", "1, 60000000", "3000000, 1000000"})
    void a_hundred_thousand_steps_admit_exactly_what_the_rate_allows(long permits, long periodMicros) {
        ManualClock clock = ManualClock.atMicros(1_800_000_000_000_000L);
        SplittableRandom random = new SplittableRandom(permits);
        long stepMicros = Math.max(1, periodMicros / permits);
        // In units that a microsecond refills by `permits`; a permit is `periodMicros` of them.
        long full = CAPACITY * periodMicros;
        long content = full;
        try (RedisLimits limits = RedisLimits.builder()
                .url(REDIS.url())
                .keyPrefix("drift")
                .timeout(Duration.ofMinutes(1))
                .time(clock)
                .build()) {
            AsyncLimiter limiter = limits.limiter(Policy.of(
                            "at-" + permits,
                            Limit.tokenBucket(CAPACITY, permits, Duration.of(periodMicros, ChronoUnit.MICROS))))
                    .async();
            limiter.reset(Policy.ONLY_RULE, Attributes.none())
                    .toCompletableFuture()
                    .join();
            // One first, so that Redis knows the script and answers in the order of the questions.
            content -= ask(limiter).join() ? periodMicros : 0;
            for (int done = 0; done < STEPS; done += IN_FLIGHT) {
                List<Boolean> expected = new ArrayList<>();
                List<CompletableFuture<Boolean>> answers = new ArrayList<>();
                for (int i = 0; i < IN_FLIGHT; i++) {
                    long micros = random.nextLong(2 * stepMicros + 1);
                    clock.advance(Duration.of(micros, ChronoUnit.MICROS));
                    content = Math.min(full, content + micros * permits);
                    expected.add(content >= periodMicros);
                    content -= content >= periodMicros ? periodMicros : 0;
                    answers.add(ask(limiter));
                }
                assertThat(answers.stream().map(CompletableFuture::join).toList())
                        .isEqualTo(expected);
            }
        }
    }

    private static CompletableFuture<Boolean> ask(AsyncLimiter limiter) {
        return limiter.tryAcquire(Attributes.none()).toCompletableFuture().thenApply(decision -> decision.allowed());
    }
}
