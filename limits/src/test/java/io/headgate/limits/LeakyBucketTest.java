package io.headgate.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LeakyBucketTest {

    @Test
    void a_meter_admits_requests_without_delay_up_to_its_capacity() {
        Timeline timeline = new Timeline(Limit.leakyBucket(3, 1, Duration.ofMillis(10)));
        timeline.at(0, 3).allowed(0, 30_000);
        timeline.at(9_999, 1).denied(0, 1, 20_001);
        timeline.at(10_000, 1).allowed(0, 30_000);
        timeline.at(25_000, 4).neverAllowed(1, 15_000);
        timeline.at(40_000, 3).allowed(0, 30_000);
    }

    @Test
    void a_shaper_delays_each_request_until_earlier_ones_have_leaked_out() {
        Timeline timeline =
                new Timeline(Limit.leakyBucket(3, 1, Duration.ofMillis(10)).shaper());
        timeline.at(0, 1).allowed(2, 10_000);
        timeline.at(4_000, 1).allowedAfter(6_000, 1, 16_000);
        timeline.at(4_000, 2).denied(1, 6_000, 16_000);
        timeline.at(5_000, 1).allowedAfter(15_000, 0, 25_000);
        timeline.at(9_999, 1).denied(0, 1, 20_001);
        timeline.at(10_000, 1).allowedAfter(20_000, 0, 30_000);
        timeline.at(40_000, 3).allowed(0, 30_000);
    }

    @Test
    void a_limit_of_zero_denies_everything() {
        new Timeline(Limit.leakyBucket(0, 1, Duration.ofMillis(1))).at(0, 1).neverAllowed(0, 0);
    }

    /** A meter admits the same requests as a shaper, so one model checks both. */
    @ParameterizedTest
    @CsvSource({"7, 1000000", "1, 60000000", "3000000, 1000000"})
    void two_million_requests_are_admitted_and_delayed_exactly_as_the_rate_allows(long permits, long periodMicros) {
        long capacity = 5;
        AtomicLong clock = new AtomicLong(1_800_000_000_000_000L);
        SplittableRandom random = new SplittableRandom(permits);
        long stepMicros = Math.max(1, periodMicros / permits);
        // The content of the bucket. In each microsecond, `permits` units leak out; a permit is `periodMicros` units.
        long content = 0;
        long differences = 0;
        LeakyBucket meter = Limit.leakyBucket(capacity, permits, Duration.of(periodMicros, ChronoUnit.MICROS));
        try (InMemoryLimitEngine limits =
                InMemoryLimitEngine.builder().time(clock::get).build()) {
            Limiter metering = limits.limiter(Policy.of("meter", meter));
            Limiter shaping = limits.limiter(Policy.of("shaper", meter.shaper()));
            for (int i = 0; i < 2_000_000; i++) {
                long micros = random.nextLong(2 * stepMicros + 1);
                clock.addAndGet(micros);
                content = Math.max(0, content - micros * permits);
                boolean allowed = content + periodMicros <= capacity * periodMicros;
                Duration delay = Duration.of(allowed ? (content + permits - 1) / permits : 0, ChronoUnit.MICROS);
                content += allowed ? periodMicros : 0;
                Decision shaped = shaping.tryAcquire(PermitRequest.global());
                if (shaped.allowed() != allowed || !shaped.delay().equals(delay)) {
                    differences++;
                }
                Decision metered = metering.tryAcquire(PermitRequest.global());
                if (metered.allowed() != allowed || !metered.delay().isZero()) {
                    differences++;
                }
            }
        }
        assertThat(differences).isZero();
    }
}
