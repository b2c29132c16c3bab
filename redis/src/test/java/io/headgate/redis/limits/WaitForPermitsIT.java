package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitListener;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.testkit.Await;
import io.headgate.testkit.faults.FaultProxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Requests that wait for permits which several engines share are served, also after Redis fails or a caller cancels. */
@Timeout(60)
class WaitForPermitsIT {

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private static final Duration LONG = Duration.ofSeconds(50);
    /** Less than the timeout of a test, which can't end a wait for a future. */
    private static final Duration WITHIN = Duration.ofSeconds(20);

    /** A window that ends too late for {@link #WITHIN}, but early enough for {@link #LONG}. */
    private static final Duration WINDOW = Duration.ofSeconds(49);

    private static final Duration HOUR = Duration.ofHours(1);

    private final FaultProxy proxy = redis.proxy;

    @Test
    void engines_that_wait_for_one_key_are_all_served_and_none_retries_before_its_retry_after() {
        List<RedisLimitEngine> engines = new ArrayList<>();
        List<List<Decision>> received = new ArrayList<>();
        List<CompletableFuture<Decision>> waits = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            List<Decision> answers = new CopyOnWriteArrayList<>();
            received.add(answers);
            RedisLimitEngine engine = Engines.builder(redis.url())
                    // Otherwise a waiting request retries once more when the engine starts to receive invalidations.
                    .invalidations(false)
                    .listener(new LimitListener() {
                        @Override
                        public void onDecision(
                                Policy policy,
                                Attributes attributes,
                                long permits,
                                Decision decision,
                                long elapsedNanos) {
                            answers.add(decision);
                        }
                    })
                    .build();
            engines.add(engine);
            Limiter limiter = engine.limiter("shared", Limit.slidingWindow(3, Duration.ofMillis(50)));
            for (int n = 0; n < 15; n++) {
                waits.add(limiter.async()
                        .acquire(PermitRequest.of("hot").withPermits(1 + n % 3), LONG)
                        .toCompletableFuture());
            }
        }
        assertThat(waits)
                .allSatisfy(wait -> assertThat(wait).succeedsWithin(WITHIN).matches(Decision::allowed));
        engines.forEach(RedisLimitEngine::close);
        for (List<Decision> answers : received) {
            // How often an engine is denied depends on the speed of the others, but how soon it retries does not.
            Instant earliest = Instant.EPOCH;
            for (Decision answer : answers) {
                assertThat(answer.decidedAt()).isAfterOrEqualTo(earliest);
                assertThat(answer.allowed() || answer.retryable()).isTrue();
                earliest = answer.decidedAt().plus(answer.retryAfter().orElse(Duration.ZERO));
            }
            assertThat(answers).filteredOn(Decision::allowed).hasSize(15);
        }
    }

    @Test
    void a_wait_that_is_cancelled_during_its_call_leaves_its_permit_to_the_next() {
        try (RedisLimitEngine limits = limits(Duration.ofSeconds(40))) {
            Limiter limiter = limits.limiter("cancelled", Limit.slidingWindow(1, HOUR));
            // Loads the scripts.
            limiter.refundOldest(PermitRequest.of("a"));
            limiter.peek("a");
            proxy.holdReplies();
            long before = proxy.commandsSeen("EVALSHA");
            CompletableFuture<Decision> first =
                    limiter.async().acquire("a", LONG).toCompletableFuture();
            CompletableFuture<Decision> second =
                    limiter.async().acquire("a", LONG).toCompletableFuture();
            proxy.awaitCommands("EVALSHA", before + 1, LONG);
            assertThat(first.cancel(true)).isTrue();
            proxy.resume();
            assertThat(second).succeedsWithin(WITHIN).matches(Decision::allowed);
            // The charge, its refund, and the charge of the second wait.
            assertThat(proxy.commandsSeen("EVALSHA")).isEqualTo(before + 3);
        }
    }

    /** The policy no longer has the rule when the reply arrives, so the permit cannot be refunded. */
    @Test
    void a_permit_that_cannot_be_refunded_does_not_block_other_waits() {
        try (RedisLimitEngine limits = limits(Duration.ofSeconds(40))) {
            Limiter limiter = limits.limiter("renamed", Limit.slidingWindow(1, HOUR));
            limiter.peek("a");
            proxy.holdReplies();
            CompletableFuture<Decision> first =
                    limiter.async().acquire("a", LONG).toCompletableFuture();
            CompletableFuture<Decision> second =
                    limiter.async().acquire("a", LONG).toCompletableFuture();
            first.cancel(true);
            limiter.update(Policy.named("renamed")
                    .rule("other", Limit.slidingWindow(1, HOUR), "key")
                    .build());
            proxy.resume();
            assertThat(second).succeedsWithin(WITHIN).matches(Decision::allowed);
        }
    }

    @Test
    void a_refund_reset_or_raised_limit_of_the_same_limiter_wakes_waiting_requests() {
        try (RedisLimitEngine limits = limits(Duration.ofSeconds(40))) {
            Limiter limiter = limits.limiter("woken", Limit.slidingWindow(1, WINDOW));
            Decision decision = limiter.tryAcquire("a");
            CompletableFuture<Decision> first = deniedWait(limiter);
            assertThat(limiter.refund("a", decision)).isEqualTo(1);
            assertThat(first).succeedsWithin(WITHIN).matches(Decision::allowed);

            CompletableFuture<Decision> second = deniedWait(limiter);
            assertThat(limiter.reset("a")).isTrue();
            assertThat(second).succeedsWithin(WITHIN).matches(Decision::allowed);

            CompletableFuture<Decision> third = deniedWait(limiter);
            limiter.update(Policy.of("woken", Limit.slidingWindow(2, WINDOW), "key"));
            assertThat(third).succeedsWithin(WITHIN).matches(Decision::allowed);
        }
    }

    /** A wait that has been denied when this returns: its request was sent before that of the peek. */
    private static CompletableFuture<Decision> deniedWait(Limiter limiter) {
        CompletableFuture<Decision> wait = limiter.async().acquire("a", LONG).toCompletableFuture();
        limiter.peek("a");
        assertThat(wait).isNotDone();
        return wait;
    }

    @Test
    void a_blocking_callback_blocks_neither_the_connection_nor_other_waits() {
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch blocked = new CountDownLatch(1);
        try (RedisLimitEngine limits = limits(Duration.ofSeconds(40))) {
            Limiter limiter = limits.limiter("blocked", Limit.slidingWindow(1, WINDOW));
            Decision decision = limiter.tryAcquire("a");
            deniedWait(limiter).thenAccept(allowed -> {
                blocked.countDown();
                await(end);
            });
            CompletableFuture<Decision> second = deniedWait(limiter);
            assertThat(limiter.refund("a", decision)).isEqualTo(1);
            await(blocked);
            assertThat(limiter.refundOldest(PermitRequest.of("a"))).isEqualTo(1);
            assertThat(second).succeedsWithin(WITHIN).matches(Decision::allowed);
        } finally {
            end.countDown();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(50, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void a_wait_fails_when_its_call_times_out_and_the_next_wait_is_served() {
        try (RedisLimitEngine limits = limits(Duration.ofSeconds(2))) {
            Limiter limiter = limits.limiter("silent", Limit.slidingWindow(2, HOUR));
            limiter.peek("a");
            proxy.holdReplies();
            CompletableFuture<Decision> first =
                    limiter.async().acquire("a", LONG).toCompletableFuture();
            CompletableFuture<Decision> second =
                    limiter.async().acquire("a", LONG).toCompletableFuture();
            assertThatThrownBy(first::join).hasCauseInstanceOf(LimiterException.class);
            proxy.resume();
            assertThat(second).succeedsWithin(WITHIN).matches(Decision::allowed);
        }
    }

    @Test
    void all_waits_fail_when_the_connection_breaks_and_later_ones_are_served() {
        try (RedisLimitEngine limits = limits(Duration.ofSeconds(40))) {
            Limiter limiter = limits.limiter("broken", Limit.slidingWindow(100, HOUR));
            limiter.peek("a");
            proxy.holdReplies();
            proxy.refuseConnections();
            List<CompletableFuture<Decision>> waits = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                waits.add(limiter.async().acquire("a", LONG).toCompletableFuture());
            }
            proxy.cutAll();
            assertThat(waits)
                    .allSatisfy(wait -> assertThatThrownBy(wait::join).hasCauseInstanceOf(LimiterException.class));
            proxy.resume();
            proxy.acceptConnections();
            Await.until("a permit", LONG, () -> limiter.async()
                    .acquire("a", LONG)
                    .handle((decision, problem) -> decision != null && decision.allowed())
                    .toCompletableFuture()
                    .join());
        }
    }

    private RedisLimitEngine limits(Duration timeout) {
        return Engines.builder(Engines.settings(proxy.url()).withTimeout(timeout))
                // So that no connection is replaced while its replies are held.
                .leastSilence(Duration.ofMinutes(5))
                .build();
    }
}
