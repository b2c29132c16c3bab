package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.testkit.Await;
import io.headgate.testkit.faults.FaultProxy;
import io.lettuce.core.RedisClient;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** No wait for a reply or a connection is endless, and an interrupted thread stops waiting. */
@Timeout(60)
class WaitingIT {

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Limit LIMIT = Limit.slidingWindow(1_000_000, Duration.ofMinutes(1));

    private final FaultProxy proxy = redis.proxy;

    /** The least silence is the time without a reply after which a connection is replaced, if the timeout is not longer. */
    @Test
    void the_first_connection_waits_for_a_busy_redis_beyond_the_least_silence() {
        proxy.holdReplies();
        CompletableFuture<RedisLimitEngine> connecting = CompletableFuture.supplyAsync(
                () -> Engines.builder(Engines.settings(proxy.url()).withTimeout(Duration.ofMillis(10)))
                        .leastSilence(Duration.ofMillis(20))
                        .build());
        proxy.awaitCommands("HELLO", 1, LONG);
        // After a multiple of the least silence, but before the five seconds that a first connection may take.
        CompletableFuture.runAsync(
                proxy::releaseReplies, CompletableFuture.delayedExecutor(500, TimeUnit.MILLISECONDS));
        connecting.join().close();
        assertThat(proxy.connectionsSeen()).isEqualTo(1);
    }

    @Test
    void a_blocking_call_times_out_although_all_timer_threads_are_busy() {
        RedisClient applicationClient = RedisClient.create(proxy.url());
        CountDownLatch end = new CountDownLatch(1);
        try (RedisLimitEngine limits = Engines.builder(
                        Engines.settings(applicationClient).withTimeout(Duration.ofMillis(20)))
                .build()) {
            Limiter limiter = limits.limiter("busy", LIMIT);
            Await.until("a first answer", LONG, () -> isAnswered(limiter));
            proxy.holdReplies();
            for (EventExecutor thread : applicationClient.getResources().eventExecutorGroup()) {
                thread.execute(() -> awaitQuietly(end));
            }
            assertThatThrownBy(() -> limiter.tryAcquire("a"))
                    .isInstanceOfSatisfying(LimiterException.class, failure -> assertThat(failure.mayBeCharged())
                            .isTrue())
                    .hasMessageStartingWith(
                            "acquire of policy busy: no answer within 20 ms; it may have been charged; ");
        } finally {
            end.countDown();
            proxy.resume();
            applicationClient.shutdown(0, 2, TimeUnit.SECONDS);
        }
    }

    @Test
    void an_interrupted_thread_sends_nothing() {
        try (RedisLimitEngine limits = limits(LONG, 100)) {
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
    void a_blocking_callback_of_a_late_call_does_not_delay_the_timeout_of_the_next() {
        try (RedisLimitEngine limits = Engines.builder(
                        Engines.settings(proxy.url()).withTimeout(Duration.ofMillis(500)))
                .leastSilence(Duration.ofMinutes(5))
                .build()) {
            Limiter limiter = limits.limiter("late", LIMIT);
            limiter.tryAcquire("a");
            proxy.holdReplies();
            CountDownLatch bothLate = new CountDownLatch(2);
            List<CompletableFuture<Object>> done = new ArrayList<>();
            for (CompletableFuture<Decision> call : send(limiter.async(), 2)) {
                done.add(call.handle((decision, failure) -> {
                    bothLate.countDown();
                    awaitQuietly(bothLate);
                    return failure;
                }));
            }
            done.forEach(call -> assertThat(call).succeedsWithin(LONG));
        }
    }

    @Test
    void a_thread_that_is_interrupted_while_it_waits_fails_and_stays_interrupted() {
        try (RedisLimitEngine limits = limits(Duration.ofMinutes(1), 100)) {
            Limiter limiter = limits.limiter("interrupted", LIMIT);
            limiter.tryAcquire("a");
            proxy.holdReplies();
            List<Object> seen = new CopyOnWriteArrayList<>();
            Thread caller = started(() -> {
                try {
                    return limiter.tryAcquire("a");
                } catch (LimiterException e) {
                    seen.addAll(List.of(String.valueOf(e.getMessage()), e.mayBeCharged(), Thread.interrupted()));
                    return e;
                }
            });
            proxy.awaitCommands("EVALSHA", 2, LONG);
            caller.interrupt();
            join(caller);
            assertThat(seen)
                    .containsExactly(
                            "acquire of policy interrupted: interrupted; it may have been charged; a request with an id"
                                    + " can be retried without a second charge",
                            true,
                            true);
        }
    }

    @Test
    void a_connection_without_replies_is_replaced() {
        try (RedisLimitEngine limits = Engines.builder(
                        Engines.settings(proxy.url()).withTimeout(Duration.ofMillis(20)))
                .leastSilence(Duration.ofMillis(500))
                .build()) {
            Limiter limiter = limits.limiter("silence", LIMIT);
            Await.until("a first answer", LONG, () -> isAnswered(limiter));
            long connections = proxy.connectionsSeen();
            proxy.holdReplies();
            send(limiter.async(), 1);
            proxy.awaitConnections(connections + 1, LONG);
            awaitNoneInFlight(limits);
            proxy.resume();
            Await.until("an answer", LONG, () -> isAnswered(limiter));
        }
    }

    @Test
    void a_server_that_sends_no_reply_fails_the_connection() {
        proxy.holdReplies();
        assertThatThrownBy(() -> Engines.builder(proxy.url() + "?timeout=300ms").build())
                .isInstanceOf(LimiterException.class)
                .hasMessageContaining("can't connect");
        proxy.resume();
    }

    private RedisLimitEngine limits(Duration timeout, int maxInFlightCalls) {
        return Engines.builder(
                        Engines.settings(proxy.url()).withTimeout(timeout).withMaxInFlightCalls(maxInFlightCalls))
                .build();
    }

    private static void awaitNoneInFlight(RedisLimitEngine limits) {
        Await.until("all calls to be answered", LONG, () -> limits.callsInFlight() == 0);
    }

    private static Thread started(Callable<?> task) {
        Thread thread = new Thread(new FutureTask<>(task));
        thread.start();
        return thread;
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<CompletableFuture<Decision>> send(AsyncLimiter limiter, int calls) {
        List<CompletableFuture<Decision>> sent = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            sent.add(limiter.tryAcquire("a").toCompletableFuture());
        }
        return sent;
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
