package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Attributes;
import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Colocation;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A policy is updated under traffic, in memory and on Redis: no charge is lost, and the new limit applies immediately. */
@Timeout(60)
class UpdateIT {

    private static final RedisServer REDIS = RedisServer.shared();
    private static final int THREADS = 4;
    private static final Duration DAY = Duration.ofDays(1);

    @RegisterExtension
    static final LeavesNothingBehind NOTHING_BEHIND = LeavesNothingBehind.in(REDIS.url(), "update:*");

    /** An engine with a stopped clock, so that no permit expires. */
    private static LimitEngine engine(String engine) {
        ManualClock clock = ManualClock.at(Instant.parse("2026-11-21T12:00:00Z"));
        return engine.equals("memory")
                ? InMemoryLimitEngine.builder().time(clock).build()
                : Engines.builder(Engines.settings(REDIS.url()).withKeyPrefix("update"))
                        .time(clock)
                        .build();
    }

    /** As routes decide requests that lack a value of some rules. */
    @ParameterizedTest
    @ValueSource(strings = {"memory", "redis", "leased"})
    void limiters_of_the_policy_and_of_some_of_its_rules_share_their_counts(String engine) {
        Policy.Builder whole = Policy.named("whole-" + engine)
                .rule("all", Limit.slidingWindow(20, DAY))
                .rule("user", Limit.slidingWindow(20, DAY), "user");
        Policy.Builder part = Policy.named("whole-" + engine).rule("all", Limit.slidingWindow(20, DAY));
        if (engine.equals("leased")) {
            whole.leased(Duration.ofSeconds(1));
            part.leased(Duration.ofSeconds(1));
        }
        try (LimitEngine limits = engine(engine)) {
            Limiter ofAll = limits.limiter(whole.build());
            Limiter ofPart = limits.limiter(part.build());
            int admitted = 0;
            for (int i = 0; i < 40; i++) {
                admitted += ofAll.tryAcquire(PermitRequest.of(Attributes.of("user", "u" + i)))
                                .allowed()
                        ? 1
                        : 0;
                admitted += ofPart.tryAcquire(PermitRequest.global()).allowed() ? 1 : 0;
            }
            assertThat(admitted).isBetween(engine.equals("leased") ? 1 : 20, 20);
        }
    }

    static Stream<Arguments> engines_and_kinds() {
        List<LongFunction<Limit>> kinds = List.of(
                permits -> Limit.fixedWindow(permits, DAY),
                permits -> Limit.calendarWindow(permits, CalendarWindow.Unit.WEEK, ZoneOffset.UTC),
                permits -> Limit.slidingWindow(permits, DAY),
                permits -> Limit.slidingCounter(permits, DAY),
                permits -> Limit.tokenBucket(permits, 7, DAY),
                permits -> Limit.leakyBucket(permits, 7, DAY));
        // The limit with one permit is only for the name of the test.
        return Stream.of("memory", "redis")
                .flatMap(engine -> kinds.stream().map(kind -> Arguments.of(engine, kind.apply(1), kind)));
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("engines_and_kinds")
    void a_raised_limit_admits_the_difference_and_a_lowered_one_counts_what_was_admitted(
            String engine, Limit name, LongFunction<Limit> limit) {
        try (LimitEngine limits = engine(engine)) {
            Limiter limiter = fresh(limits, limit.apply(5));
            assertThat(admitted(limiter, 10)).isEqualTo(5);
            limiter.update(policy(limit.apply(8)));
            assertThat(limiter.peek("a").remaining()).isEqualTo(3);
            assertThat(admitted(limiter, 10)).isEqualTo(3);
            limiter.update(policy(limit.apply(3)));
            assertThat(limiter.tryAcquire("a").remaining()).isZero();
            assertThat(admitted(limiter, 10)).isZero();
            limiter.update(policy(limit.apply(9)));
            assertThat(admitted(limiter, 10)).isEqualTo(1);
            assertThat(limiter.reset("a")).isTrue();
        }
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("engines_and_kinds")
    void no_charge_is_lost_while_the_limit_changes_under_traffic(String engine, Limit name, LongFunction<Limit> limit) {
        try (LimitEngine limits = engine(engine)) {
            Limiter limiter = fresh(limits, limit.apply(500));
            List<CompletableFuture<Long>> tasks = new ArrayList<>();
            ExecutorService threads = Executors.newFixedThreadPool(THREADS);
            try {
                for (int i = 0; i < THREADS; i++) {
                    tasks.add(CompletableFuture.supplyAsync(() -> admitted(limiter, 300), threads));
                }
                for (int i = 0; tasks.stream().anyMatch(it -> !it.isDone()); i++) {
                    limiter.update(policy(limit.apply(i % 2 == 0 ? 50 : 500)));
                }
            } finally {
                threads.shutdown();
            }
            limiter.update(policy(limit.apply(500)));
            long before = tasks.stream().mapToLong(CompletableFuture::join).sum();
            assertThat(before).isBetween(50L, 500L);
            assertThat(limiter.peek("a").remaining()).isEqualTo(500 - before);
            assertThat(admitted(limiter, 600)).isEqualTo(500 - before);
            assertThat(limiter.reset("a")).isTrue();
        }
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("engines_and_kinds")
    void two_instances_with_different_versions_share_a_count(String engine, Limit name, LongFunction<Limit> limit) {
        try (LimitEngine one = engine(engine);
                LimitEngine another = engine.equals("memory") ? one : engine(engine)) {
            Limiter higher = fresh(one, limit.apply(300));
            Limiter lower = another.limiter(policy(limit.apply(100)));
            CompletableFuture<Long> lowerTask = CompletableFuture.supplyAsync(() -> admitted(lower, 250));
            long byHigher = admitted(higher, 250);
            long byLower = lowerTask.join();
            assertThat(byLower).isLessThanOrEqualTo(100);
            assertThat(byHigher + byLower).isLessThanOrEqualTo(300);
            assertThat(admitted(lower, 10)).isZero();
            assertThat(admitted(higher, 400)).isEqualTo(300 - byHigher - byLower);
            assertThat(higher.reset("a")).isTrue();
        }
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("engines_and_kinds")
    void an_invalid_update_changes_nothing(String engine, Limit name, LongFunction<Limit> limit) {
        try (LimitEngine limits = engine(engine)) {
            Limiter limiter = fresh(limits, limit.apply(5));
            limiter.tryAcquire(PermitRequest.of("a").withPermits(2));
            Policy before = limiter.policy();
            List<Policy> wrong = List.of(
                    Policy.of("other", limit.apply(9), Attributes.KEY),
                    Policy.of("update", limit.apply(9), Attributes.USER),
                    Policy.named("update")
                            .rule(Policy.ONLY_RULE, limit.apply(9), Attributes.KEY)
                            .colocate(Colocation.POLICY)
                            .build());
            for (Policy policy : wrong) {
                assertThatThrownBy(() -> limiter.update(policy)).isInstanceOf(IllegalArgumentException.class);
            }
            assertThat(limiter.policy()).isEqualTo(before);
            assertThat(admitted(limiter, 10)).isEqualTo(3);
            assertThat(limiter.reset("a")).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "redis"})
    void of_two_contradictory_concurrent_updates_one_is_rejected(String engine) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try (LimitEngine limits = engine(engine)) {
            for (int i = 0; i < 1000; i++) {
                Limiter limiter = limits.limiter(policy(Limit.fixedWindow(5, DAY)));
                CyclicBarrier barrier = new CyclicBarrier(2);
                List<CompletableFuture<Boolean>> updates = Stream.of(Attributes.USER, Attributes.IP)
                        .map(dimension -> Policy.named("update")
                                .rule("added", Limit.fixedWindow(5, DAY), dimension)
                                .build())
                        .map(policy ->
                                CompletableFuture.supplyAsync(() -> isUpdated(limiter, policy, barrier), threads))
                        .toList();
                assertThat(updates).extracting(CompletableFuture::join).containsExactlyInAnyOrder(true, false);
            }
        } finally {
            threads.shutdown();
        }
    }

    private static boolean isUpdated(Limiter limiter, Policy policy, CyclicBarrier barrier) {
        try {
            barrier.await();
            limiter.update(policy);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        } catch (InterruptedException | BrokenBarrierException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Limiter fresh(LimitEngine limits, Limit limit) {
        Limiter limiter = limits.limiter(policy(limit));
        limiter.reset("a");
        return limiter;
    }

    private static Policy policy(Limit limit) {
        return Policy.of("update", limit, Attributes.KEY);
    }

    private static long admitted(Limiter limiter, int requests) {
        return LongStream.range(0, requests)
                .filter(i -> limiter.tryAcquire("a").allowed())
                .count();
    }
}
