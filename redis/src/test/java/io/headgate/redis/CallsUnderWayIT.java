package io.headgate.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Decision;
import io.headgate.limits.DecisionListener;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Request;
import io.headgate.testkit.Await;
import io.headgate.testkit.FaultProxy;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A Redis that hangs costs bounded memory and bounded waits, and callers that are in each other's way don't wait longer. */
@Timeout(60)
class CallsUnderWayIT {

    private static final RedisServer REDIS = RedisServer.startOwn();

    @RegisterExtension
    static final LeavesNothingBehind NOTHING_BEHIND = LeavesNothingBehind.in(REDIS.url(), "hg:*");

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Limit LIMIT = Limit.slidingWindow(1_000_000, Duration.ofMinutes(1));

    private final FaultProxy proxy = FaultProxy.before(REDIS.url());

    @AfterAll
    static void stop() {
        REDIS.close();
    }

    @AfterEach
    void close() {
        proxy.close();
    }

    @Test
    void beyond_the_bound_calls_fail_at_once_and_are_not_sent_until_redis_answers_again() {
        try (RedisLimits limits = limits(Duration.ofMillis(50), 100)) {
            Limiter limiter = limits.limiter("bound", LIMIT);
            limiter.tryAcquire("a");
            proxy.holdReplies();
            List<CompletableFuture<Decision>> held = send(limiter.async(), 100);
            held.forEach(call -> assertThat(failureOf(call).mayBeCharged()).isTrue());

            // Their callers have given up, but Redis has not: they still count.
            for (CompletableFuture<Decision> call : send(limiter.async(), 1000)) {
                assertThat(call).isDone();
                assertThat(failureOf(call))
                        .hasMessageContaining("too many calls are under way: 100; nothing was sent")
                        .matches(failure -> !failure.mayBeCharged());
            }
            assertThat(proxy.commandsSeen("EVALSHA")).isEqualTo(101);

            proxy.resume();
            Await.until("calls to be answered again", LONG, () -> isAnswered(limiter));
        }
    }

    @Test
    void a_listener_that_does_not_return_delays_no_other_engine() throws InterruptedException {
        CountDownLatch told = new CountDownLatch(1);
        CountDownLatch enough = new CountDownLatch(1);
        DecisionListener stuck = new DecisionListener() {
            @Override
            public void onDecision(Request request, Decision decision) {}

            @Override
            public void onFailure(Request request, LimiterException failure) {
                told.countDown();
                awaitQuietly(enough);
            }
        };
        try (RedisLimits slow = RedisLimits.builder()
                        .url(proxy.url())
                        .timeout(Duration.ofMillis(20))
                        .listener(stuck)
                        .build();
                RedisLimits other = limits(Duration.ofMillis(20), 100)) {
            proxy.holdReplies();
            // From a thread of its own: a call that is late before anyone waits for it is told to who made it.
            Thread caller = new Thread(() -> slow.limiter("slow", LIMIT).async().tryAcquire("a"));
            caller.start();
            assertThat(told.await(20, TimeUnit.SECONDS)).isTrue();
            assertThatThrownBy(() -> other.limiter("other", LIMIT).tryAcquire("a"))
                    .isInstanceOf(LimiterException.class)
                    .hasMessageContaining("no answer within 20 ms");
            enough.countDown();
            caller.join();
            proxy.resume();
        }
    }

    @Test
    void an_interrupted_thread_sends_nothing() {
        try (RedisLimits limits = limits(LONG, 100)) {
            Limiter limiter = limits.limiter("interrupted", LIMIT);
            limiter.tryAcquire("a");
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> limiter.tryAcquire("a"))
                    .isInstanceOfSatisfying(LimiterException.class, failure -> {
                        assertThat(failure).hasMessage("acquire of policy interrupted: interrupted; nothing was sent");
                        assertThat(failure.mayBeCharged()).isFalse();
                    });
            assertThat(Thread.interrupted()).isTrue();
            assertThat(proxy.commandsSeen("EVALSHA")).isEqualTo(1);
        }
    }

    @Test
    void a_wait_that_is_given_up_leaves_the_connection_as_it_was() {
        try (RedisLimits limits = limits(LONG, 3)) {
            Limiter limiter = limits.limiter("cancelled", LIMIT);
            limiter.tryAcquire("a");
            for (int i = 0; i < 50; i++) {
                limiter.async().tryAcquire("a").toCompletableFuture().cancel(true);
                Await.until("its reply", LONG, () -> isAnswered(limiter));
            }
            assertThat(limiter.peek("a").remaining()).isEqualTo(1_000_000 - 101);
        }
    }

    @Test
    void a_server_that_says_nothing_is_given_up_while_connecting() {
        proxy.holdReplies();
        assertThatThrownBy(() -> RedisLimits.connect(proxy.url() + "?timeout=300ms"))
                .isInstanceOf(LimiterException.class)
                .hasMessageContaining("can't connect");
        proxy.resume();
    }

    private RedisLimits limits(Duration timeout, int maxCallsUnderWay) {
        return RedisLimits.builder()
                .url(proxy.url())
                .timeout(timeout)
                .maxCallsUnderWay(maxCallsUnderWay)
                .build();
    }

    private static List<CompletableFuture<Decision>> send(AsyncLimiter limiter, int calls) {
        List<CompletableFuture<Decision>> sent = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            sent.add(limiter.tryAcquire("a").toCompletableFuture());
        }
        return sent;
    }

    private static LimiterException failureOf(CompletableFuture<Decision> call) {
        Throwable failure = call.handle((decision, problem) -> problem).join();
        return (LimiterException) failure;
    }

    private static boolean isAnswered(Limiter limiter) {
        try {
            return limiter.tryAcquire("a").allowed();
        } catch (LimiterException e) {
            return false;
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
