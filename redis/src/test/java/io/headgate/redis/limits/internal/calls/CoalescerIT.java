package io.headgate.redis.limits.internal.calls;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.LimiterException;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.redis.limits.Engines;
import io.headgate.redis.limits.OwnRedis;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.faults.FaultProxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Concurrent requests are batched into one call; whatever happens to the call, each request ends as it would alone. */
@Timeout(120)
class CoalescerIT {

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final long LIMIT = 1_000_000;
    private static final Policy POLICY =
            Policy.of("together", Limit.slidingWindow(LIMIT, Duration.ofMinutes(1)), Attributes.KEY);

    private final RedisProbe probe = redis.probe;
    private final FaultProxy proxy = redis.proxy;

    @Test
    void many_concurrent_requests_take_few_calls_and_each_receives_its_own_decision() {
        try (RedisLimitEngine limits = limits(LONG)) {
            AsyncLimiter limiter = limits.limiter(POLICY).async();
            limiter.tryAcquire("a").toCompletableFuture().join();
            long before = proxy.commandsSeen("EVALSHA");
            proxy.holdReplies();
            List<CompletableFuture<Decision>> all = send(1000, i -> limiter.tryAcquire("a"));
            proxy.awaitCommands("EVALSHA", before + 2, LONG);
            proxy.resume();
            for (int i = 0; i < 1000; i++) {
                assertThat(all.get(i).join().remaining()).isEqualTo(LIMIT - i - 2);
            }
            assertThat(proxy.commandsSeen("EVALSHA") - before).isBetween(3L, 20L);
        }
    }

    @Test
    void the_denial_of_the_last_request_in_a_batch_is_cached() {
        Policy few = Policy.of("few-left", Limit.slidingWindow(4, Duration.ofHours(1)), Attributes.KEY);
        try (RedisLimitEngine limits = limits(LONG)) {
            AsyncLimiter limiter = limits.limiter(few).async();
            proxy.holdReplies();
            List<CompletableFuture<Decision>> all = send(7, i -> limiter.tryAcquire("a"));
            proxy.resume();
            assertThat(all.stream().map(call -> call.join().allowed()))
                    .containsExactly(true, true, true, true, false, false, false);
            long calls = proxy.commandsSeen("EVALSHA");
            assertThat(calls).isEqualTo(3);
            assertThat(limiter.tryAcquire("a").toCompletableFuture().join().denied())
                    .isTrue();
            assertThat(proxy.commandsSeen("EVALSHA")).isEqualTo(calls);
        }
    }

    @Test
    void requests_that_are_not_concurrent_are_separate_calls() {
        try (RedisLimitEngine limits = limits(LONG)) {
            AsyncLimiter limiter = limits.limiter(POLICY).async();
            for (int i = 0; i < 20; i++) {
                limiter.tryAcquire("a").toCompletableFuture().join();
                Await.until("its end", LONG, () -> limits.callsInFlight() == 0);
            }
            assertThat(proxy.commandsSeen("EVALSHA")).isEqualTo(20);
        }
    }

    @Test
    void requests_of_different_keys_and_sizes_share_calls_and_those_beyond_the_limit_are_denied() {
        Policy few = Policy.of("few", Limit.tokenBucket(50, 1, Duration.ofDays(1)), Attributes.KEY);
        try (RedisLimitEngine limits = limits(LONG)) {
            AsyncLimiter limiter = limits.limiter(few).async();
            limiter.tryAcquire("z").toCompletableFuture().join();
            long before = proxy.commandsSeen("EVALSHA");
            proxy.holdReplies();
            List<CompletableFuture<Decision>> all = send(
                    900, i -> limiter.tryAcquire(PermitRequest.of("k" + i % 3).withPermits(1 + i % 2)));
            proxy.resume();
            for (int key = 0; key < 3; key++) {
                int of = key;
                long charged = IntStream.range(0, 900)
                        .filter(i -> i % 3 == of)
                        .mapToLong(i -> all.get(i).join().charged())
                        .sum();
                assertThat(charged).isEqualTo(50);
            }
            assertThat(proxy.commandsSeen("EVALSHA") - before).isLessThan(50);
        }
    }

    @Test
    void a_foreign_value_fails_the_requests_of_its_key_and_no_others() {
        probe.command("LPUSH", "hg:sw:together:limit:foreign", "x");
        try (RedisLimitEngine limits = limits(LONG)) {
            AsyncLimiter limiter = limits.limiter(POLICY).async();
            limiter.tryAcquire("a").toCompletableFuture().join();
            proxy.holdReplies();
            List<CompletableFuture<Decision>> all =
                    send(300, i -> limiter.tryAcquire(i % 10 == 7 ? "foreign" : "k" + i % 10));
            proxy.resume();
            for (int i = 0; i < 300; i++) {
                if (i % 10 == 7) {
                    assertThat(failureOf(all.get(i)))
                            .hasMessageContaining("acquire hg:sw:together:limit:foreign: the key holds something that "
                                    + "Headgate did not store; nothing was charged")
                            .matches(failure -> !failure.mayBeCharged());
                } else {
                    assertThat(all.get(i).join().allowed()).isTrue();
                }
            }
        }
        probe.command("DEL", "hg:sw:together:limit:foreign");
    }

    @Test
    void a_hanging_redis_receives_two_calls_and_unsent_requests_fail_in_time() {
        try (RedisLimitEngine limits = limits(Duration.ofMillis(500))) {
            AsyncLimiter limiter = limits.limiter(POLICY).async();
            limiter.tryAcquire("a").toCompletableFuture().join();
            Await.until("its end", LONG, () -> limits.requestsInFlight() == 0);
            proxy.holdReplies();
            List<CompletableFuture<Decision>> all = send(1000, i -> limiter.tryAcquire("a"));
            long sent =
                    all.stream().filter(call -> failureOf(call).mayBeCharged()).count();
            assertThat(sent).isEqualTo(2);
            assertThat(failureOf(all.get(999))).hasMessageContaining("no answer within 500 ms; nothing was sent");
            assertThat(proxy.commandsSeen("EVALSHA")).isEqualTo(3);
            proxy.resume();
            Await.until("an answer", LONG, () -> isAnswered(limiter));
        }
        try (RedisLimitEngine direct = redis.limits().build()) {
            assertThat(direct.limiter(POLICY).peek("a").remaining()).isLessThanOrEqualTo(LIMIT - 4);
        }
    }

    @Test
    void requests_beyond_the_bound_fail_without_waiting_for_replies() {
        try (RedisLimitEngine limits = Engines.builder(
                        Engines.settings(proxy.url()).withMaxInFlightCalls(100))
                .build()) {
            AsyncLimiter limiter = limits.limiter(POLICY).async();
            limiter.tryAcquire("a").toCompletableFuture().join();
            Await.until("its end", LONG, () -> limits.requestsInFlight() == 0);
            proxy.holdReplies();
            List<CompletableFuture<Decision>> all = send(150, i -> limiter.tryAcquire("a"));
            assertThat(all.subList(100, 150)).allSatisfy(call -> assertThat(failureOf(call))
                    .hasMessageContaining("too many calls are in flight: 100; nothing was sent"));
            proxy.resume();
            assertThat(all.subList(0, 100))
                    .allSatisfy(call -> assertThat(call.join().allowed()).isTrue());
            Await.until("all to end", LONG, () -> limits.requestsInFlight() == 0);
        }
    }

    @Test
    void a_request_on_a_broken_connection_is_charged_at_most_once() {
        try (RedisLimitEngine limits = limits(LONG);
                RedisLimitEngine direct = redis.limits().build()) {
            AsyncLimiter limiter = limits.limiter(POLICY).async();
            long admitted = 0;
            long doubtful = 0;
            for (int round = 0; round < 20; round++) {
                proxy.cutNextReplyTo("EVALSHA");
                List<CompletableFuture<Decision>> all = send(500, i -> limiter.tryAcquire("a"));
                proxy.awaitCut(LONG);
                for (CompletableFuture<Decision> call : all) {
                    Object end = call.handle((decision, problem) -> problem == null ? decision : problem)
                            .join();
                    admitted += end instanceof Decision ? 1 : 0;
                    doubtful += end instanceof LimiterException failure && failure.mayBeCharged() ? 1 : 0;
                }
                Await.until("an answer", LONG, () -> isAnswered(limiter));
                admitted++;
            }
            long charged = LIMIT - direct.limiter(POLICY).peek("a").remaining();
            assertThat(doubtful).isPositive();
            assertThat(charged).isBetween(admitted, admitted + doubtful);
        }
    }

    @Test
    void a_request_that_is_cancelled_before_it_is_sent_charges_nothing() {
        try (RedisLimitEngine limits = limits(LONG)) {
            AsyncLimiter limiter = limits.limiter(POLICY).async();
            limiter.tryAcquire("a").toCompletableFuture().join();
            Await.until("its end", LONG, () -> limits.requestsInFlight() == 0);
            proxy.holdReplies();
            List<CompletableFuture<Decision>> all = send(100, i -> limiter.tryAcquire("a"));
            proxy.awaitCommands("EVALSHA", 3, LONG);
            all.subList(2, 100).forEach(call -> call.cancel(true));
            proxy.resume();
            Await.until("all to end", LONG, () -> limits.requestsInFlight() == 0);
            assertThat(limits.limiter(POLICY).peek("a").remaining()).isEqualTo(LIMIT - 3);
        }
    }

    @Test
    void when_the_connection_breaks_all_waiting_requests_fail_however_many_calls_they_would_take() {
        try (RedisLimitEngine limits = limits(LONG)) {
            AsyncLimiter limiter = limits.limiter(POLICY).async();
            limiter.tryAcquire("a").toCompletableFuture().join();
            proxy.holdReplies();
            // Too many permits for a request in a batch.
            List<CompletableFuture<Decision>> all =
                    send(16_000, i -> limiter.tryAcquire(PermitRequest.of("a").withPermits(1L << 40)));
            proxy.refuseConnections();
            proxy.cutAll();
            all.forEach(CoalescerIT::failureOf);
            assertThat(limits.requestsInFlight()).isZero();
        }
    }

    @Test
    void a_callback_of_a_failure_does_not_block_other_requests() {
        try (RedisLimitEngine limits = limits(LONG)) {
            AsyncLimiter limiter = limits.limiter(POLICY).async();
            limiter.tryAcquire("a").toCompletableFuture().join();
            proxy.holdReplies();
            List<CompletableFuture<Void>> nestedCalls = new ArrayList<>();
            for (CompletableFuture<Decision> call : send(1000, i -> limiter.tryAcquire("a"))) {
                nestedCalls.add(
                        call.handle((decision, problem) -> CompletableFuture.runAsync(() -> limiter.tryAcquire("b"))
                                .orTimeout(5, TimeUnit.SECONDS)
                                .join()));
            }
            proxy.refuseConnections();
            proxy.cutAll();
            assertThat(nestedCalls)
                    .allSatisfy(nestedCall -> assertThat(nestedCall).succeedsWithin(LONG));
        }
    }

    @Test
    void closing_ends_all_waiting_requests() {
        RedisLimitEngine limits = limits(LONG);
        AsyncLimiter limiter = limits.limiter(POLICY).async();
        limiter.tryAcquire("a").toCompletableFuture().join();
        proxy.holdReplies();
        List<CompletableFuture<Decision>> all = send(1000, i -> limiter.tryAcquire("a"));
        limits.close();
        String closed = "limits on " + limits.description() + " are closed";
        assertThat(all).allSatisfy(call -> assertThat(call)
                .failsWithin(LONG)
                .withThrowableThat()
                .havingCause()
                .withMessage(closed));
        assertThat(limits.requestsInFlight()).isZero();
        assertThat(limiter.tryAcquire("a"))
                .failsWithin(LONG)
                .withThrowableThat()
                .havingCause()
                .withMessage(closed);
    }

    @Test
    void broken_connections_under_many_threads_leave_nothing_in_flight() {
        try (RedisLimitEngine limits = limits(LONG)) {
            AsyncLimiter limiter = limits.limiter(POLICY).async();
            for (int round = 0; round < 20; round++) {
                proxy.cutNextReplyTo("EVALSHA");
                List<CompletableFuture<List<CompletableFuture<Decision>>>> senders = IntStream.range(0, 4)
                        .mapToObj(thread -> CompletableFuture.supplyAsync(() -> send(
                                500,
                                i -> limiter.tryAcquire(
                                        PermitRequest.of("k" + i % 7).withPermits(1 + i % 2)))))
                        .toList();
                for (CompletableFuture<List<CompletableFuture<Decision>>> sender : senders) {
                    sender.orTimeout(20, TimeUnit.SECONDS).join().forEach(call -> assertThat(
                                    call.handle((decision, problem) -> true))
                            .succeedsWithin(LONG));
                }
                proxy.awaitCut(LONG);
                Await.until("an answer", LONG, () -> isAnswered(limiter));
            }
            Await.until("all to end", LONG, () -> limits.requestsInFlight() == 0);
            assertThat(limits.callsInFlight()).isZero();
        }
    }

    @Test
    void when_one_rule_denies_a_batch_the_other_rules_decide_as_for_a_single_request() {
        ManualClock clock = ManualClock.at(Instant.parse("2025-01-01T00:00:00Z"));
        Policy policy = Policy.named("crowd")
                .rule("window", Limit.fixedWindow(3, Duration.ofMinutes(1)), Attributes.KEY)
                .rule("shaper", Limit.leakyBucket(100, 1, Duration.ofSeconds(7)).shaper(), Attributes.KEY)
                .rule("bucket", Limit.tokenBucket(100, 3, Duration.ofSeconds(7)), Attributes.KEY)
                .build();
        try (RedisLimitEngine limits =
                Engines.builder(proxy.url()).time(clock).maxCachedDenials(0).build()) {
            AsyncLimiter limiter = limits.limiter(policy).async();
            for (int round = 0; round < 3; round++) {
                limiter.tryAcquire("a").toCompletableFuture().join();
                clock.advance(Duration.ofMillis(1));
            }
            for (int seconds : List.of(1, -3, 50)) {
                clock.setMicros(clock.nowMicros() + seconds * 1_000_000L);
                Decision alone = limiter.peek("a").toCompletableFuture().join();
                assertThat(alone.denied()).isTrue();
                proxy.holdReplies();
                List<CompletableFuture<Decision>> all = send(100, i -> limiter.tryAcquire("a"));
                proxy.resume();
                assertThat(all).allSatisfy(call -> assertThat(call.join()).isEqualTo(alone));
            }
        }
    }

    private static boolean isAnswered(AsyncLimiter limiter) {
        return limiter.tryAcquire("a")
                .toCompletableFuture()
                .handle((decision, problem) -> problem == null)
                .join();
    }

    private RedisLimitEngine limits(Duration timeout) {
        return Engines.builder(Engines.settings(proxy.url()).withTimeout(timeout))
                .build();
    }

    private static List<CompletableFuture<Decision>> send(
            int requests, IntFunction<CompletionStage<Decision>> request) {
        List<CompletableFuture<Decision>> sent = new ArrayList<>();
        for (int i = 0; i < requests; i++) {
            sent.add(request.apply(i).toCompletableFuture());
        }
        return sent;
    }

    private static LimiterException failureOf(CompletableFuture<Decision> call) {
        assertThat(call).failsWithin(LONG);
        return (LimiterException) call.handle((decision, problem) -> problem).join();
    }
}
