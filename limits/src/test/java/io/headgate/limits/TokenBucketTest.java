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
        Play play = new Play(Limit.tokenBucket(3, 1, Duration.ofMillis(10)));
        play.at(0, 3).allowed(0, 30_000);
        play.at(9_999, 1).denied(0, 1, 20_001);
        play.at(10_000, 1).allowed(0, 30_000);
        play.at(25_000, 2).denied(1, 5_000, 15_000);
        play.at(25_000, 4).deniedForEver(1, 15_000);
        play.at(40_000, 3).allowed(0, 30_000);
    }

    @Test
    void a_refill_with_fractions_of_a_microsecond_is_reported_rounded_up_and_stored_exactly() {
        Play play = new Play(Limit.tokenBucket(7, 7, Duration.ofSeconds(1)));
        play.at(0, 7).allowed(0, 1_000_000);
        play.at(142_857, 1).denied(0, 1, 857_143);
        play.at(142_858, 1).allowed(0, 1_000_000); // 1 142 857.14... after the start, seen from 142 858
        play.at(1_142_857, 7).denied(6, 1, 1);
        play.at(1_142_858, 7).allowed(0, 1_000_000);
    }

    @Test
    void under_another_rate_the_same_permits_are_owed() {
        Play play = new Play(Limit.tokenBucket(10, 10, Duration.ofMinutes(1)));
        play.at(0, 10).allowed(0, 60_000_000);
        play.under(Limit.tokenBucket(100, 100, Duration.ofMinutes(1))).at(0, 90).allowed(0, 60_000_000);
    }

    @Test
    void a_limit_of_zero_denies_everything() {
        new Play(Limit.tokenBucket(0, 1, Duration.ofMillis(1))).at(0, 1).deniedForEver(0, 0);
    }

    @ParameterizedTest
    @CsvSource({"7, 1000000", "1, 60000000", "3000000, 1000000"})
    void ten_million_steps_admit_exactly_what_the_rate_allows(long permits, long periodMicros) {
        long capacity = 5;
        AtomicLong clock = new AtomicLong(1_800_000_000_000_000L);
        SplittableRandom random = new SplittableRandom(permits);
        long stepMicros = Math.max(1, periodMicros / permits);
        BigInteger cost = BigInteger.valueOf(periodMicros);
        // What is in the bucket, in units that a microsecond refills by `permits`; a permit is `periodMicros` of them.
        long full = cost.multiply(BigInteger.valueOf(capacity)).longValueExact();
        long content = full;
        long differences = 0;
        try (InMemoryLimitEngine limits =
                InMemoryLimitEngine.builder().time(clock::get).build()) {
            Limiter limiter = limits.limiter(Policy.of(
                    "drift", Limit.tokenBucket(capacity, permits, Duration.of(periodMicros, ChronoUnit.MICROS))));
            for (int i = 0; i < 10_000_000; i++) {
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
