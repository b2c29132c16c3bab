package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.Hold;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Two engines with different versions of a policy on a real Redis: for each kind of limit, the most that docs/configuration.md states does
 * pass, and no request more. {@link TwoVersionsIT} shows that it is never exceeded.
 */
class TwoVersionsAtMostIT {

    private static final RedisServer REDIS = RedisServer.shared();
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);
    private static final int PLENTY = 50;

    private final ManualClock clock = ManualClock.at(Instant.parse("2026-11-21T12:00:00Z"));
    private final RedisLimitEngine one = engine();
    private final RedisLimitEngine another = engine();
    private final String name = "p-" + UUID.randomUUID();

    private RedisLimitEngine engine() {
        return Engines.builder(Engines.settings(REDIS.url()).withKeyPrefix("at-most"))
                .maxCachedDenials(0)
                .time(clock)
                .build();
    }

    @AfterEach
    void close() {
        one.close();
        another.close();
    }

    private Limiter before(Limit limit) {
        return one.limiter(Policy.of(name, limit));
    }

    private Limiter after(Limit limit) {
        return another.limiter(Policy.of(name, limit));
    }

    /** How many of these requests the limiter admits. */
    private static long admitted(Limiter limiter, int requests) {
        return LongStream.range(0, requests)
                .filter(i -> limiter.tryAcquire(PermitRequest.global()).allowed())
                .count();
    }

    @Test
    void a_window_admits_the_larger_limit_and_the_lower_version_nothing_above_its_own() {
        for (List<Limit> versions : List.<List<Limit>>of(
                List.of(Limit.fixedWindow(10, SECOND), Limit.fixedWindow(4, SECOND)),
                List.of(Limit.slidingWindow(10, SECOND), Limit.slidingWindow(4, SECOND)),
                List.of(Limit.slidingCounter(10, SECOND), Limit.slidingCounter(4, SECOND)))) {
            Limiter higher = before(versions.get(0));
            Limiter lower = after(versions.get(1));
            assertThat(admitted(lower, PLENTY)).as("%s", versions).isEqualTo(4);
            assertThat(admitted(higher, PLENTY)).as("%s", versions).isEqualTo(6);
            assertThat(admitted(lower, PLENTY)).as("%s", versions).isZero();
        }
    }

    @Test
    void a_longer_fixed_window_admits_the_larger_limit_in_each_shorter_one() {
        Limiter longer = before(Limit.fixedWindow(10, TEN_SECONDS));
        Limiter shorter = after(Limit.fixedWindow(4, SECOND));
        long admitted = 0;
        for (int i = 0; i < 10; i++) {
            admitted += admitted(shorter, 1) + admitted(longer, PLENTY) + admitted(shorter, PLENTY);
            clock.advance(SECOND);
        }
        assertThat(admitted).isEqualTo(10 * 10);
    }

    @Test
    void of_sliding_windows_each_version_admits_up_to_its_own_limit() {
        Limiter longer = before(Limit.slidingWindow(20, TEN_SECONDS));
        Limiter shorter = after(Limit.slidingWindow(4, SECOND));
        assertThat(admitted(longer, PLENTY)).isEqualTo(20);
        long byShorter = 0;
        for (int i = 0; i < 9; i++) {
            clock.advance(SECOND);
            byShorter += admitted(shorter, PLENTY);
            assertThat(admitted(longer, PLENTY)).isZero();
        }
        assertThat(byShorter).isEqualTo(9 * 4);
    }

    @Test
    void a_sliding_counter_admits_one_less_than_twice_the_larger_limit() {
        Limiter higher = before(Limit.slidingCounter(10, SECOND));
        Limiter lower = after(Limit.slidingCounter(4, SECOND));
        clock.advance(micros(999_999));
        assertThat(admitted(lower, PLENTY) + admitted(higher, PLENTY)).isEqualTo(10);
        clock.advance(micros(999_999));
        assertThat(admitted(lower, PLENTY) + admitted(higher, PLENTY)).isEqualTo(9);
    }

    @Test
    void buckets_admit_the_larger_capacity_and_the_refill_at_the_faster_rate() {
        for (List<Limit> versions : List.<List<Limit>>of(
                List.of(Limit.tokenBucket(10, 1, SECOND), Limit.tokenBucket(4, 5, SECOND)),
                List.of(Limit.leakyBucket(10, 1, SECOND), Limit.leakyBucket(4, 5, SECOND)))) {
            Limiter larger = before(versions.get(0));
            Limiter faster = after(versions.get(1));
            assertThat(admitted(larger, PLENTY)).as("%s", versions).isEqualTo(10);
            clock.advance(SECOND.multipliedBy(2));
            assertThat(admitted(faster, 1) + admitted(larger, PLENTY))
                    .as("%s: 2 seconds of 5 permits", versions)
                    .isEqualTo(10);
        }
    }

    @Test
    void another_kind_of_limit_or_another_rule_name_counts_apart() {
        assertThat(admitted(before(Limit.slidingWindow(10, SECOND)), PLENTY)
                        + admitted(after(Limit.fixedWindow(4, SECOND)), PLENTY))
                .isEqualTo(10 + 4);
        Policy.Builder byUser =
                Policy.named(name + "-renamed").rule("per-user", Limit.slidingWindow(10, SECOND), "user");
        Policy.Builder byAddress = Policy.named(name + "-renamed").rule("per-ip", Limit.slidingWindow(4, SECOND), "ip");
        PermitRequest request = PermitRequest.of(Attributes.of("user", "alice").with("ip", "192.0.2.1"));
        Limiter ofUsers = one.limiter(byUser.build());
        Limiter ofAddresses = another.limiter(byAddress.build());
        long admitted = 0;
        for (int i = 0; i < PLENTY; i++) {
            admitted += ofUsers.tryAcquire(request).allowed() ? 1 : 0;
            admitted += ofAddresses.tryAcquire(request).allowed() ? 1 : 0;
        }
        assertThat(admitted).isEqualTo(10 + 4);
    }

    @Test
    void a_rule_that_one_version_lacks_counts_the_requests_of_the_other_only() {
        Rule shared = new Rule("shared", Limit.slidingWindow(30, SECOND), List.of());
        Rule added = new Rule("added", Limit.slidingWindow(4, SECOND), List.of());
        Limiter without = one.limiter(Policy.named(name).rule(shared).build());
        Limiter with =
                another.limiter(Policy.named(name).rule(shared).rule(added).build());
        assertThat(admitted(without, 20)).isEqualTo(20);
        assertThat(admitted(with, PLENTY)).isEqualTo(4);
        assertThat(admitted(without, PLENTY)).isEqualTo(30 - 24);
    }

    @Test
    void holds_of_both_versions_never_exceed_the_larger_in_flight_limit() {
        InFlightLimiter higher = one.inFlight(inFlight(10));
        InFlightLimiter lower = another.inFlight(inFlight(4));
        SplittableRandom random = new SplittableRandom(7);
        Deque<Held> holds = new ArrayDeque<>();
        long most = 0;
        for (int i = 0; i < 2000; i++) {
            InFlightLimiter limiter = random.nextBoolean() ? higher : lower;
            long held = permits(holds);
            long permits = random.nextLong(1, 4);
            Hold hold = limiter.tryAcquire(PermitRequest.of("a").withPermits(permits));
            assertThat(hold.allowed())
                    .as("%d permits on top of %d", permits, held)
                    .isEqualTo(held + permits <= (limiter == higher ? 10 : 4));
            if (hold.allowed()) {
                holds.add(new Held(hold, permits));
            }
            most = Math.max(most, permits(holds));
            if (random.nextInt(3) == 0 && !holds.isEmpty()) {
                holds.remove().hold().release();
            }
        }
        assertThat(most).isEqualTo(10);
        holds.forEach(held -> held.hold().release());
    }

    /** A hold of some permits. */
    private record Held(Hold hold, long permits) {}

    private InFlightPolicy inFlight(long permits) {
        return InFlightPolicy.named(name).rule("limit", permits, Attributes.KEY).build();
    }

    private static long permits(Deque<Held> holds) {
        return holds.stream().mapToLong(Held::permits).sum();
    }

    private static Duration micros(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }
}
