package io.headgate.limits.internal.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Limit;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every type of limit has a kind of its own, and limits that differ only in their permits count alike. */
class LimitKindTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    /** The steps of calendar windows are hours; those of other limits are seconds. */
    private static final long HOUR_MICROS = 3_600_000_000L;

    @Test
    void each_type_of_limit_has_a_kind_of_its_own() {
        Duration minute = Duration.ofMinutes(1);
        List<Limit> limits = List.of(
                Limit.fixedWindow(1, minute),
                Limit.calendarWindow(1, CalendarWindow.Unit.DAY, ZoneOffset.UTC),
                Limit.slidingWindow(1, minute),
                Limit.slidingCounter(1, minute),
                Limit.tokenBucket(1, 1, minute),
                Limit.leakyBucket(1, 1, minute));
        List<String> all = Stream.of(Limit.class.getPermittedSubclasses())
                .map(Class::getName)
                .toList();
        assertThat(limits).extracting(limit -> limit.getClass().getName()).containsExactlyInAnyOrderElementsOf(all);
        assertThat(limits).extracting(LimitKind::of).containsExactly(LimitKind.values());
    }

    private static Limit days(long permits) {
        return Limit.calendarWindow(permits, CalendarWindow.Unit.DAY, BERLIN);
    }

    static Stream<Arguments> alike() {
        return Stream.of(
                Arguments.of(Limit.fixedWindow(5, MINUTE), Limit.fixedWindow(9, MINUTE)),
                Arguments.of(
                        Limit.fixedWindow(5, MINUTE).fromFirstRequest(),
                        Limit.fixedWindow(9, MINUTE).fromFirstRequest()),
                Arguments.of(days(5), days(9)),
                Arguments.of(Limit.slidingWindow(5, MINUTE), Limit.slidingWindow(9, MINUTE)),
                Arguments.of(Limit.slidingCounter(5, MINUTE), Limit.slidingCounter(9, MINUTE)),
                Arguments.of(Limit.tokenBucket(5, 3, MINUTE), Limit.tokenBucket(9, 3, MINUTE)),
                Arguments.of(Limit.leakyBucket(5, 3, MINUTE), Limit.leakyBucket(9, 3, MINUTE)));
    }

    @ParameterizedTest(name = "{0} and {1}")
    @MethodSource("alike")
    void a_charge_under_a_limit_that_counts_alike_admits_nothing_earlier(Limit one, Limit other) {
        assertThat(LimitKind.countAlike(one, other)).isTrue();
        assertThat(earlierAdmissions(one, other)).isZero();
        assertThat(earlierAdmissions(other, one)).isZero();
    }

    static Stream<Arguments> unlike() {
        return Stream.of(
                Arguments.of(Limit.fixedWindow(5, MINUTE), Limit.fixedWindow(5, SECOND)),
                Arguments.of(
                        Limit.fixedWindow(5, MINUTE).fromFirstRequest(),
                        Limit.fixedWindow(5, SECOND).fromFirstRequest()),
                Arguments.of(Limit.fixedWindow(5, MINUTE).fromFirstRequest(), Limit.fixedWindow(5, MINUTE)),
                Arguments.of(Limit.calendarWindow(5, CalendarWindow.Unit.MONTH, BERLIN), days(9)),
                Arguments.of(Limit.slidingWindow(9, MINUTE), Limit.slidingWindow(5, Duration.ofSeconds(20))),
                Arguments.of(Limit.slidingCounter(5, MINUTE), Limit.slidingCounter(9, SECOND)),
                Arguments.of(Limit.tokenBucket(5, 3, MINUTE), Limit.tokenBucket(5, 6, MINUTE)),
                Arguments.of(Limit.leakyBucket(5, 3, MINUTE), Limit.leakyBucket(5, 3, SECOND)));
    }

    @ParameterizedTest(name = "{0} and {1}")
    @MethodSource("unlike")
    void a_charge_under_another_limit_may_admit_earlier(Limit one, Limit other) {
        assertThat(LimitKind.countAlike(one, other)).isFalse();
        assertThat(LimitKind.countAlike(other, one)).isFalse();
        assertThat(earlierAdmissions(one, other)).isPositive();
    }

    @Test
    void limits_of_different_kinds_and_other_options_do_not_count_alike() {
        assertThat(LimitKind.countAlike(Limit.slidingWindow(5, MINUTE), Limit.slidingCounter(5, MINUTE)))
                .isFalse();
        assertThat(LimitKind.countAlike(
                        days(5), Limit.calendarWindow(5, CalendarWindow.Unit.DAY, ZoneId.of("Asia/Tokyo"))))
                .isFalse();
        assertThat(LimitKind.countAlike(
                        Limit.leakyBucket(5, 3, MINUTE),
                        Limit.leakyBucket(5, 3, MINUTE).shaper()))
                .isFalse();
    }

    /**
     * Charges one key under both limits at random times. Returns how often a request was admitted under the first limit before a denial of
     * as many permits under it had ended.
     */
    private static int earlierAdmissions(Limit limit, Limit other) {
        return earlierAdmissions(Algorithm.of(limit), Algorithm.of(other), limit instanceof CalendarWindow);
    }

    private static <S extends Counter> int earlierAdmissions(Algorithm<S> own, Algorithm<?> any, boolean isInHours) {
        // Limits of one kind have the same type of counter.
        @SuppressWarnings("unchecked")
        Algorithm<S> other = (Algorithm<S>) any;
        Random random = new Random(1);
        S state = own.start();
        Outcome outcome = new Outcome();
        long nowMicros = 1_700_000_000_000_000L;
        long[] deniedUntil = new long[6];
        int count = 0;
        for (int i = 0; i < 100_000; i++) {
            nowMicros += isInHours ? random.nextInt(12) * HOUR_MICROS : random.nextInt(4_000_000);
            int permits = 1 + random.nextInt(5);
            if (random.nextInt(3) == 0) {
                other.acquire(state, permits, nowMicros, outcome);
                continue;
            }
            own.acquire(state, permits, nowMicros, outcome);
            if (!outcome.allowed()) {
                deniedUntil[permits] = nowMicros + outcome.retryMicros;
            }
            for (int covered = 1; outcome.allowed() && covered <= permits; covered++) {
                count += nowMicros < deniedUntil[covered] ? 1 : 0;
                deniedUntil[covered] = 0;
            }
        }
        return count;
    }
}
