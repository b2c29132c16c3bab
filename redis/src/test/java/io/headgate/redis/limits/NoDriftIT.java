package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.CalendarWindow.Unit;
import io.headgate.limits.Limit;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Limits on Redis admit exactly what exact arithmetic admits, for every request of a long sequence: also if a permit takes a fractional
 * number of microseconds to refill, and on a day of 25 hours.
 */
class NoDriftIT {

    private static final RedisServer REDIS = RedisServer.shared();

    @RegisterExtension
    static final LeavesNothingBehind NOTHING_BEHIND = LeavesNothingBehind.in(REDIS.url(), "drift:*");

    private static final long CAPACITY = 5;
    private static final int STEPS = 100_000;
    private static final int IN_FLIGHT = 1000;

    /** The outcome of one request. */
    private record Answer(boolean allowed, Duration delay) {}

    @ParameterizedTest
    @CsvSource({"7, 1000000", "1, 60000000", "3000000, 1000000"})
    void a_token_bucket_admits_exactly_what_the_rate_allows(long permits, long periodMicros) {
        compare(
                Limit.tokenBucket(CAPACITY, permits, micros(periodMicros)),
                2 * Math.max(1, periodMicros / permits),
                new ExactBucket(permits, periodMicros, false));
    }

    @ParameterizedTest
    @CsvSource({"7, 1000000", "3000000, 1000000"})
    void a_meter_admits_exactly_what_the_rate_allows(long permits, long periodMicros) {
        compare(
                Limit.leakyBucket(CAPACITY, permits, micros(periodMicros)),
                2 * Math.max(1, periodMicros / permits),
                new ExactBucket(permits, periodMicros, false));
    }

    @ParameterizedTest
    @CsvSource({"7, 1000000", "1, 60000000", "3000000, 1000000"})
    void a_shaper_delays_each_request_exactly_until_those_before_it_have_leaked_out(long permits, long periodMicros) {
        compare(
                Limit.leakyBucket(CAPACITY, permits, micros(periodMicros)).shaper(),
                2 * Math.max(1, periodMicros / permits),
                new ExactBucket(permits, periodMicros, true));
    }

    /** About two months, in which daylight saving time ends. */
    @Test
    void a_calendar_window_admits_exactly_its_limit_a_day() {
        ZoneId berlin = ZoneId.of("Europe/Berlin");
        // The requests in flight span about half a day, so that each is decided on its own day.
        compare(Limit.calendarWindow(1000, Unit.DAY, berlin), 100_000_000, new ExactDays(1000, berlin));
    }

    private static void compare(Limit limit, long maxStepMicros, LongFunction<Answer> exact) {
        ManualClock clock = ManualClock.at(Instant.parse("2026-09-30T08:00:00Z"));
        SplittableRandom random = new SplittableRandom(maxStepMicros);
        try (RedisLimitEngine limits = Engines.builder(
                        Engines.settings(REDIS.url()).withKeyPrefix("drift"))
                .time(clock)
                .build()) {
            AsyncLimiter limiter =
                    limits.limiter(Policy.of("p" + maxStepMicros, limit)).async();
            limiter.resetRule(Policy.ONLY_RULE, Attributes.none())
                    .toCompletableFuture()
                    .join();
            // One request first, so that Redis has the script and decides the others in order.
            assertThat(acquire(limiter).join()).isEqualTo(exact.apply(clock.nowMicros()));
            for (int done = 0; done < STEPS; done += IN_FLIGHT) {
                List<Answer> expected = new ArrayList<>();
                List<CompletableFuture<Answer>> answers = new ArrayList<>();
                for (int i = 0; i < IN_FLIGHT; i++) {
                    clock.advance(micros(random.nextLong(maxStepMicros + 1)));
                    expected.add(exact.apply(clock.nowMicros()));
                    answers.add(acquire(limiter));
                }
                assertThat(answers.stream().map(CompletableFuture::join).toList())
                        .isEqualTo(expected);
            }
        }
    }

    private static CompletableFuture<Answer> acquire(AsyncLimiter limiter) {
        return limiter.tryAcquire(PermitRequest.global())
                .toCompletableFuture()
                .thenApply(decision -> new Answer(decision.allowed(), decision.delay()));
    }

    private static Duration micros(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }

    /** An exact bucket. It counts units of which {@code permits} refill in a microsecond; one permit is {@code periodMicros} units. */
    private static final class ExactBucket implements LongFunction<Answer> {

        private final long permits;
        private final long periodMicros;
        private final boolean shapes;
        private long missing;
        private long lastMicros;

        ExactBucket(long permits, long periodMicros, boolean shapes) {
            this.permits = permits;
            this.periodMicros = periodMicros;
            this.shapes = shapes;
        }

        @Override
        public Answer apply(long atMicros) {
            missing = lastMicros == 0 ? 0 : Math.max(0, missing - (atMicros - lastMicros) * permits);
            lastMicros = atMicros;
            if (missing + periodMicros > CAPACITY * periodMicros) {
                return new Answer(false, Duration.ZERO);
            }
            long delayMicros = shapes ? (missing + permits - 1) / permits : 0;
            missing += periodMicros;
            return new Answer(true, micros(delayMicros));
        }
    }

    /** An exact count for each date in the zone. */
    private static final class ExactDays implements LongFunction<Answer> {

        private final long limit;
        private final ZoneId zone;
        private LocalDate day = LocalDate.EPOCH;
        private long count;

        ExactDays(long limit, ZoneId zone) {
            this.limit = limit;
            this.zone = zone;
        }

        @Override
        public Answer apply(long atMicros) {
            LocalDate today = LocalDate.ofInstant(Instant.EPOCH.plus(atMicros, ChronoUnit.MICROS), zone);
            count = today.equals(day) ? count : 0;
            day = today;
            boolean allowed = count < limit;
            count += allowed ? 1 : 0;
            return new Answer(allowed, Duration.ZERO);
        }
    }
}
