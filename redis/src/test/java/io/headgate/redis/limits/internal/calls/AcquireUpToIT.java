package io.headgate.redis.limits.internal.calls;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.redis.limits.internal.planner.PolicyPlanner;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * {@code acquireUpTo} charges as many permits as are available: by one call for up to 1024 permits and by at most two for up to a million,
 * if Redis skips no batch.
 */
class AcquireUpToIT {

    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Attributes ALICE = Attributes.of(Attributes.USER, "alice");

    private static Policy policy(Limit limit) {
        return Policy.of("p", limit, Attributes.USER);
    }

    /** Charges up to this number of permits, and returns how many were charged. */
    private static long charged(TwoMasters masters, long permits) {
        AtomicLong charged = new AtomicLong();
        masters.calls()
                .acquireUpTo(masters.planner(), ALICE, permits, charged::addAndGet)
                .join();
        return charged.get();
    }

    private static long remaining(TwoMasters masters) {
        return masters.calls().peek(masters.planner(), ALICE, 1).join().remaining();
    }

    @ParameterizedTest
    @CsvSource({
        // permits before, permits, charged, calls
        "0, 1, 1, 1",
        "0, 1000, 1000, 1",
        "0, 1024, 1024, 1",
        "0, 5000, 5000, 1",
        "0, 5001, 5001, 2",
        "4000, 2500, 2500, 2",
        "6999, 3001, 3001, 2",
        "6999, 3002, 3001, 2",
        "9999, 500, 1, 1",
        "9999, 7777, 1, 2",
        "10000, 2500, 0, 1",
        "0, 10000000, 10000, 2",
    })
    void as_many_permits_are_charged_as_are_available(long before, long permits, long expected, long calls) {
        try (TwoMasters masters = new TwoMasters(policy(Limit.fixedWindow(10_000, DAY)), LONG)) {
            assertThat(before == 0 ? 0 : charged(masters, before)).isEqualTo(before);
            long seen = masters.first.commandsSeen("EVALSHA");
            assertThat(charged(masters, permits)).isEqualTo(expected);
            assertThat(masters.first.commandsSeen("EVALSHA") - seen).isEqualTo(calls);
            assertThat(remaining(masters)).isEqualTo(10_000 - before - expected);
        }
    }

    static Stream<Limit> kinds() {
        return Stream.of(
                Limit.slidingWindow(3000, DAY),
                Limit.slidingCounter(3000, DAY),
                Limit.fixedWindow(3000, DAY).fromFirstRequest(),
                Limit.calendarWindow(3000, CalendarWindow.Unit.MONTH, ZoneOffset.UTC),
                Limit.tokenBucket(3000, 1, DAY),
                Limit.leakyBucket(3000, 1, DAY));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void every_kind_of_limit_is_charged_up_to_its_capacity(Limit limit) {
        try (TwoMasters masters = new TwoMasters(policy(limit), LONG)) {
            assertThat(charged(masters, 1777)).isEqualTo(1777);
            assertThat(remaining(masters)).isEqualTo(1223);
            assertThat(charged(masters, 5000)).isEqualTo(1223);
            assertThat(remaining(masters)).isZero();
        }
    }

    @Test
    void concurrent_callers_charge_all_available_permits() {
        try (TwoMasters masters = new TwoMasters(policy(Limit.slidingWindow(10_000, DAY)), LONG)) {
            AtomicLong charged = new AtomicLong();
            CompletableFuture<?>[] all = Stream.generate(
                            () -> masters.calls().acquireUpTo(masters.planner(), ALICE, 2999, charged::addAndGet))
                    .limit(5)
                    .toArray(CompletableFuture<?>[]::new);
            CompletableFuture.allOf(all).join();
            assertThat(charged).hasValue(10_000);
        }
    }

    /** A batch may not rewrite that number of entries, so Redis skips it until a single request has rewritten them. */
    @Test
    void a_longer_window_is_charged_although_its_entries_must_be_rewritten() {
        try (TwoMasters masters = new TwoMasters(policy(Limit.slidingWindow(9000, Duration.ofMinutes(2))), LONG)) {
            CompletableFuture.allOf(Stream.generate(() -> masters.acquire(ALICE))
                            .limit(5000)
                            .toArray(CompletableFuture<?>[]::new))
                    .join();
            PolicyPlanner longer = TwoMasters.planner(policy(Limit.slidingWindow(9000, DAY)));
            AtomicLong charged = new AtomicLong();
            masters.calls()
                    .acquireUpTo(longer, ALICE, 20_000, charged::addAndGet)
                    .join();
            assertThat(charged).hasValue(4000);
        }
    }

    @Test
    void permits_that_were_charged_before_a_failure_are_reported() {
        try (TwoMasters masters = new TwoMasters(policy(Limit.fixedWindow(10_000, DAY)), LONG)) {
            charged(masters, 6999);
            AtomicLong charged = new AtomicLong();
            CompletableFuture<Void> end = masters.calls().acquireUpTo(masters.planner(), ALICE, 3002, permits -> {
                charged.addAndGet(permits);
                masters.first.cutNextRequest();
            });
            assertThat(end.handle((done, problem) -> problem).join()).isInstanceOf(CompletionException.class);
            assertThat(charged).hasValue(3000);
        }
    }
}
