package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.redis.RedisSettings;
import io.headgate.testkit.Await;
import io.headgate.testkit.faults.FaultProxy;
import io.lettuce.core.RedisClient;
import io.lettuce.core.event.command.CommandListener;
import io.lettuce.core.event.command.CommandStartedEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls in flight are bounded, so a hanging Redis costs bounded memory. Batching is off: each request is one call. */
@Timeout(60)
class CallsInFlightIT {

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Limit LIMIT = Limit.slidingWindow(1_000_000, Duration.ofMinutes(1));

    private final FaultProxy proxy = redis.proxy;

    @Test
    void calls_beyond_the_bound_fail_immediately_until_redis_answers_again() {
        try (RedisLimitEngine limits = limits(Duration.ofMillis(500), 100)) {
            Limiter limiter = limits.limiter("bound", LIMIT);
            limiter.tryAcquire("a");
            proxy.holdReplies();
            List<CompletableFuture<Decision>> held = send(limiter.async(), 100);
            held.forEach(call -> assertThat(failureOf(call).mayBeCharged()).isTrue());

            // The callers have received timeouts, but Redis may still answer the calls, so the calls still count.
            for (CompletableFuture<Decision> call : send(limiter.async(), 1000)) {
                assertThat(call).isDone();
                assertThat(failureOf(call))
                        .hasMessageContaining("too many calls are in flight: 100; nothing was sent")
                        .matches(failure -> !failure.mayBeCharged());
            }
            assertThat(proxy.commandsSeen("EVALSHA")).isEqualTo(101);

            proxy.resume();
            awaitNoneInFlight(limits);
            assertThat(limiter.tryAcquire("a").allowed()).isTrue();
        }
    }

    @Test
    void concurrent_threads_never_send_more_than_the_bound() {
        try (RedisLimitEngine limits = limits(Duration.ofMillis(20), 10)) {
            Limiter limiter = limits.limiter("threads", LIMIT);
            Await.until("a first answer", LONG, () -> isAnswered(limiter));
            for (int round = 0; round < 100; round++) {
                long before = proxy.commandsSeen("EVALSHA");
                proxy.holdReplies();
                CyclicBarrier barrier = new CyclicBarrier(8);
                List<Thread> threads = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    threads.add(started(() -> {
                        barrier.await();
                        return send(limiter.async(), 20);
                    }));
                }
                threads.forEach(CallsInFlightIT::join);
                proxy.awaitCommands("EVALSHA", before + 10, LONG);
                proxy.resume();
                awaitNoneInFlight(limits);
                assertThat(proxy.commandsSeen("EVALSHA")).isEqualTo(before + 10);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_timeout_of_the_client_ends_no_call_in_flight(boolean ofTheApplication) {
        String url = proxy.url() + "?timeout=1s";
        RedisClient applicationClient = RedisClient.create(url);
        RedisSettings settings = (ofTheApplication ? RedisSettings.of(applicationClient) : RedisSettings.of(url))
                .withTimeout(Duration.ofMillis(1500))
                .withMaxInFlightCalls(10);
        try (RedisLimitEngine limits = Engines.builder(settings).batching(false).build()) {
            Limiter limiter = limits.limiter("client", LIMIT);
            limiter.tryAcquire("a");
            redis.pause();
            send(limiter.async(), 10)
                    .forEach(call -> assertThat(failureOf(call)).hasMessageContaining("no answer within 1500 ms"));
            send(limiter.async(), 1)
                    .forEach(call -> assertThat(failureOf(call)).hasMessageContaining("too many calls are in flight"));
            assertThat(limits.callsInFlight()).isEqualTo(10);
            redis.resume();
            awaitNoneInFlight(limits);
        } finally {
            redis.resume();
            applicationClient.shutdown(0, 2, TimeUnit.SECONDS);
        }
    }

    @Test
    void a_call_that_the_client_rejects_is_not_sent_and_not_in_flight() {
        RedisClient applicationClient = RedisClient.create(proxy.url());
        applicationClient.addListener(new CommandListener() {
            @Override
            public void commandStarted(CommandStartedEvent event) {
                if (proxy.commandsSeen("EVALSHA") > 0) {
                    throw new IllegalStateException("the application's own mistake");
                }
            }
        });
        try (RedisLimitEngine limits = Engines.builder(Engines.settings(applicationClient))
                .batching(false)
                .build()) {
            Limiter limiter = limits.limiter("refused", LIMIT);
            limiter.tryAcquire("a");
            assertThatThrownBy(() -> limiter.tryAcquire("a"))
                    .isInstanceOfSatisfying(LimiterException.class, failure -> assertThat(failure.mayBeCharged())
                            .isFalse())
                    .hasMessageContaining("the application's own mistake; nothing was sent");
            assertThat(limits.callsInFlight()).isZero();
            assertThat(proxy.commandsSeen("EVALSHA")).isEqualTo(1);
        } finally {
            applicationClient.shutdown(0, 2, TimeUnit.SECONDS);
        }
    }

    @Test
    void a_cancelled_call_leaves_the_connection_usable() {
        try (RedisLimitEngine limits = limits(LONG, 3)) {
            Limiter limiter = limits.limiter("cancelled", LIMIT);
            limiter.tryAcquire("a");
            for (int i = 0; i < 50; i++) {
                limiter.async().tryAcquire("a").toCompletableFuture().cancel(true);
                Await.until("its reply", LONG, () -> isAnswered(limiter));
            }
            assertThat(limiter.peek("a").remaining()).isEqualTo(1_000_000 - 101);
        }
    }

    private RedisLimitEngine limits(Duration timeout, int maxInFlightCalls) {
        return Engines.builder(
                        Engines.settings(proxy.url()).withTimeout(timeout).withMaxInFlightCalls(maxInFlightCalls))
                .batching(false)
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

    private static LimiterException failureOf(CompletableFuture<Decision> call) {
        // Not join(), which the timeout of a test does not interrupt.
        assertThat(call).failsWithin(LONG);
        return (LimiterException) call.handle((decision, problem) -> problem).join();
    }

    private static boolean isAnswered(Limiter limiter) {
        try {
            return limiter.tryAcquire("a").allowed();
        } catch (LimiterException e) {
            return false;
        }
    }
}
