package io.headgate.redis.limits.internal.calls;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Policy;
import io.headgate.redis.internal.script.QueuedCall;
import io.headgate.redis.limits.Engines;
import io.headgate.redis.limits.OwnRedis;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.faults.FaultProxy;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Requests in the queue behind other calls: an interrupt cancels them, and a request that is sent again still has one timeout. */
@Timeout(60)
class CoalescerQueueIT {

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final long LIMIT = 1000;
    private static final Policy WINDOW =
            Policy.of("line", Limit.slidingWindow(LIMIT, Duration.ofMinutes(1)), Attributes.KEY);
    private static final Policy DAY =
            Policy.of("day", Limit.calendarWindow(LIMIT, CalendarWindow.Unit.DAY, ZoneOffset.UTC), Attributes.KEY);

    private final FaultProxy proxy = redis.proxy;
    private final ManualClock clock = ManualClock.at(Instant.parse("2026-01-01T12:00:00Z"));

    @Test
    void a_request_whose_caller_is_interrupted_before_it_is_sent_is_never_sent() throws InterruptedException {
        try (RedisLimitEngine limits = limits(LONG)) {
            Limiter limiter = limits.limiter(WINDOW);
            limiter.tryAcquire("a");
            proxy.holdReplies();
            List<CompletableFuture<Decision>> sent = List.of(send(limiter, "a"), send(limiter, "a"));
            AtomicReference<LimiterException> failure = new AtomicReference<>();
            Thread caller = new Thread(() -> failure.set(failureOf(limiter)));
            caller.start();
            Await.until("its request to wait", LONG, () -> limits.requestsInFlight() == 3);
            CompletableFuture<Decision> behind = send(limiter, "a");
            caller.interrupt();
            caller.join();

            assertThat(failure.get())
                    .hasMessageContaining("interrupted; nothing was sent")
                    .matches(problem -> !problem.mayBeCharged());
            assertThat(limits.requestsInFlight()).isEqualTo(3);
            proxy.resume();
            sent.forEach(call -> assertThat(call).succeedsWithin(LONG));
            assertThat(behind).succeedsWithin(LONG).matches(last -> last.remaining() == LIMIT - 4);
            assertThat(limiter.peek("a").remaining()).isEqualTo(LIMIT - 4);
        }
    }

    @Test
    void a_request_whose_caller_is_interrupted_after_it_was_sent_may_be_charged() throws InterruptedException {
        try (RedisLimitEngine limits = limits(LONG)) {
            Limiter limiter = limits.limiter(WINDOW);
            limiter.tryAcquire("a");
            proxy.holdReplies();
            AtomicReference<LimiterException> failure = new AtomicReference<>();
            Thread caller = new Thread(() -> failure.set(failureOf(limiter)));
            caller.start();
            Await.until("its request to be sent", LONG, () -> limits.callsInFlight() == 1);
            caller.interrupt();
            caller.join();
            assertThat(failure.get()).hasMessageContaining("interrupted").matches(LimiterException::mayBeCharged);
            assertThat(limits.requestsInFlight()).isEqualTo(1);
            proxy.resume();
            assertThat(limiter.peek("a").remaining()).isEqualTo(LIMIT - 2);
        }
    }

    @Test
    void each_request_that_is_cancelled_under_load_is_charged_or_was_not_sent() {
        Policy many = Policy.of("many", Limit.fixedWindow(1_000_000, Duration.ofDays(1)), Attributes.KEY);
        try (RedisLimitEngine limits = limits(LONG)) {
            Limiter limiter = limits.limiter(many);
            AtomicInteger cancelled = new AtomicInteger();
            List<CompletableFuture<Void>> threads = new ArrayList<>();
            for (int thread = 0; thread < 4; thread++) {
                threads.add(CompletableFuture.runAsync(() -> {
                    for (int i = 0; i < 5000; i++) {
                        CompletableFuture<Decision> call = send(limiter, "a");
                        if (QueuedCall.cancelUnsent(call)) {
                            cancelled.incrementAndGet();
                        }
                    }
                }));
            }
            threads.forEach(thread -> assertThat(thread).succeedsWithin(LONG));
            Await.until("all to end", LONG, () -> limits.requestsInFlight() == 0);
            assertThat(cancelled.get()).isPositive();
            assertThat(limiter.peek("a").remaining()).isEqualTo(1_000_000 - (20_000 - cancelled.get()));
        }
    }

    @Test
    void requests_resent_because_their_calendar_day_has_ended_stay_in_flight_until_the_reply() {
        try (RedisLimitEngine limits = limits(LONG)) {
            List<CompletableFuture<Decision>> all = sendOverManyDays(limits.limiter(DAY));
            AtomicInteger left = new AtomicInteger(all.size());
            ConcurrentLinkedQueue<Integer> uncounted = new ConcurrentLinkedQueue<>();
            all.forEach(call -> call.thenRun(() -> {
                // One at a time, on any callback thread: requests that wait here are still in flight.
                synchronized (left) {
                    int unanswered = left.getAndDecrement();
                    if (limits.requestsInFlight() < unanswered) {
                        uncounted.add(unanswered);
                    }
                }
            }));
            proxy.resume();
            all.forEach(call -> assertThat(call).succeedsWithin(LONG).matches(Decision::allowed));
            assertThat(uncounted).isEmpty();
            Await.until("all to end", LONG, () -> limits.requestsInFlight() == 0);
        }
    }

    /** The requests wait for three replies in turn, 200 ms each: longer than one timeout, and less than two. */
    @Test
    void a_resent_request_has_one_timeout_for_both_calls() {
        try (RedisLimitEngine limits = limits(Duration.ofMillis(500))) {
            Limiter limiter = limits.limiter(DAY);
            List<CompletableFuture<Decision>> all = sendOverManyDays(limiter);
            proxy.delayReplies(Duration.ofMillis(200));
            proxy.releaseReplies();
            all.subList(2, all.size()).forEach(call -> assertThat(call)
                    .failsWithin(LONG)
                    .withThrowableThat()
                    .withMessageContaining("no answer within 500 ms"));
            Await.until("all to end", LONG, () -> limits.requestsInFlight() == 0);
        }
    }

    /** Sends two requests whose replies are held, and eight more that wait for these replies, 40 days later. */
    private List<CompletableFuture<Decision>> sendOverManyDays(Limiter limiter) {
        Await.until("a first answer", LONG, () -> isAnswered(limiter));
        proxy.holdReplies();
        List<CompletableFuture<Decision>> all = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            if (i == 2) {
                clock.advance(Duration.ofDays(40));
            }
            all.add(send(limiter, "k" + i));
        }
        return all;
    }

    private static boolean isAnswered(Limiter limiter) {
        try {
            return limiter.tryAcquire("first").allowed();
        } catch (LimiterException e) {
            return false;
        }
    }

    private static CompletableFuture<Decision> send(Limiter limiter, String key) {
        return limiter.async().tryAcquire(key).toCompletableFuture();
    }

    private static LimiterException failureOf(Limiter limiter) {
        try {
            throw new AssertionError("answered: " + limiter.tryAcquire("a"));
        } catch (LimiterException e) {
            return e;
        }
    }

    private RedisLimitEngine limits(Duration timeout) {
        return Engines.builder(Engines.settings(proxy.url()).withTimeout(timeout))
                .time(clock)
                .build();
    }
}
