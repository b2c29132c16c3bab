package io.headgate.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TokenBucketTest {

    @Test
    void a_full_bucket_admits_its_capacity_at_once_and_is_refilled_evenly() {
        Timeline timeline = new Timeline(Limit.tokenBucket(3, 1, Duration.ofMillis(10)));
        timeline.at(0, 3).allowed(0, 30_000);
        timeline.at(9_999, 1).denied(0, 1, 20_001);
        timeline.at(10_000, 1).allowed(0, 30_000);
        timeline.at(25_000, 2).denied(1, 5_000, 15_000);
        timeline.at(25_000, 4).neverAllowed(1, 15_000);
        timeline.at(40_000, 3).allowed(0, 30_000);
    }

    @Test
    void a_refill_with_fractions_of_a_microsecond_is_reported_rounded_up_and_stored_exactly() {
        Timeline timeline = new Timeline(Limit.tokenBucket(7, 7, Duration.ofSeconds(1)));
        timeline.at(0, 7).allowed(0, 1_000_000);
        timeline.at(142_857, 1).denied(0, 1, 857_143);
        timeline.at(142_858, 1).allowed(0, 1_000_000); // full at 1 142 857.14... us, so after 999 999.14... us
        timeline.at(1_142_857, 7).denied(6, 1, 1);
        timeline.at(1_142_858, 7).allowed(0, 1_000_000);
    }

    @Test
    void a_bucket_with_another_rate_keeps_the_missing_permits() {
        Timeline timeline = new Timeline(Limit.tokenBucket(10, 10, Duration.ofMinutes(1)));
        timeline.at(0, 10).allowed(0, 60_000_000);
        timeline.under(Limit.tokenBucket(100, 100, Duration.ofMinutes(1)))
                .at(0, 90)
                .allowed(0, 60_000_000);
    }

    @Test
    void a_limit_of_zero_denies_everything() {
        new Timeline(Limit.tokenBucket(0, 1, Duration.ofMillis(1))).at(0, 1).neverAllowed(0, 0);
    }

    @ParameterizedTest
    @CsvSource({"7, 1000000", "1, 60000000", "3000000, 1000000"})
    void two_million_requests_are_admitted_exactly_as_the_rate_allows(long permits, long periodMicros) {
        long capacity = 5;
        AtomicLong clock = new AtomicLong(1_800_000_000_000_000L);
        SplittableRandom random = new SplittableRandom(permits);
        long stepMicros = Math.max(1, periodMicros / permits);
        BigInteger cost = BigInteger.valueOf(periodMicros);
        // The content of the bucket. Each microsecond refills `permits` units; a permit is `periodMicros` units.
        long full = cost.multiply(BigInteger.valueOf(capacity)).longValueExact();
        long content = full;
        long differences = 0;
        try (InMemoryLimitEngine limits =
                InMemoryLimitEngine.builder().time(clock::get).build()) {
            Limiter limiter = limits.limiter(Policy.of(
                    "drift", Limit.tokenBucket(capacity, permits, Duration.of(periodMicros, ChronoUnit.MICROS))));
            for (int i = 0; i < 2_000_000; i++) {
                long micros = random.nextLong(2 * stepMicros + 1);
                clock.addAndGet(micros);
                content = Math.min(full, content + micros * permits);
                boolean expected = content >= periodMicros;
                if (expected) {
                    content -= periodMicros;
                }
                if (limiter.tryAcquire(PermitRequest.global()).allowed() != expected) {
                    differences++;
                }
            }
        }
        assertThat(differences).isZero();
    }
}
