package io.headgate.limits.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitListener;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.TimeSource;
import io.headgate.limits.internal.EngineState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.AbstractOwnableSynchronizer;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every waiting request ends, however the requests before it in line end. */
@Timeout(180)
class WaitingLinesTest {

    private static final Duration LONG = Duration.ofSeconds(50);
    private static final Duration WITHIN = Duration.ofSeconds(20);
    private static final Duration HOUR = Duration.ofHours(1);

    @Test
    void two_hundred_threads_are_served_in_the_order_of_arrival() throws Exception {
        try (InMemoryLimitEngine limits = InMemoryLimitEngine.builder().build()) {
            Limiter limiter = limits.limiter("p", Limit.slidingWindow(5, Duration.ofMillis(20)));
            assertThat(limiter.tryAcquire(PermitRequest.of("hot").withPermits(5))
                            .allowed())
                    .isTrue();
            List<FutureTask<Instant>> served = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                int permits = 1 + i % 3;
                FutureTask<Instant> task = new FutureTask<>(
                        () -> limiter.acquire(PermitRequest.of("hot").withPermits(permits), LONG)
                                .decidedAt());
                served.add(task);
                Thread thread = new Thread(task);
                thread.start();
                while (!task.isDone() && !isInLine(thread)) {
                    Thread.onSpinWait();
                }
            }
            List<Instant> times = new ArrayList<>();
            for (FutureTask<Instant> task : served) {
                times.add(task.get());
            }
            assertThat(times).isSorted();
        }
    }

    /** Whether a thread waits in a line, and not for the lock of the lines. */
    private static boolean isInLine(Thread thread) {
        Object awaited = LockSupport.getBlocker(thread);
        return thread.getState() == Thread.State.WAITING
                && awaited != null
                && !(awaited instanceof AbstractOwnableSynchronizer);
    }

    @Test
    void two_hundred_concurrent_threads_are_all_served_with_few_attempts() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        try (InMemoryLimitEngine limits = InMemoryLimitEngine.builder()
                .listener(new LimitListener() {
                    @Override
                    public void onDecision(
                            Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
                        attempts.incrementAndGet();
                    }
                })
                .build()) {
            Limiter limiter = limits.limiter("p", Limit.slidingWindow(10, Duration.ofMillis(10)));
            CyclicBarrier together = new CyclicBarrier(200);
            List<FutureTask<Integer>> served = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                served.add(new FutureTask<>(() -> {
                    together.await();
                    int allowed = 0;
                    for (int n = 0; n < 5; n++) {
                        allowed += limiter.acquire("hot", LONG).allowed() ? 1 : 0;
                    }
                    return allowed;
                }));
                new Thread(served.get(i)).start();
            }
            for (FutureTask<Integer> task : served) {
                assertThat(task.get()).isEqualTo(5);
            }
            // Each request is denied at most once, and its next attempt is not made before it can be admitted.
            assertThat(attempts).hasValueBetween(1000, 2000);
        }
    }

    @Test
    void a_request_that_arrives_while_the_first_is_cancelled_is_served() {
        try (InMemoryLimitEngine limits = InMemoryLimitEngine.builder().build()) {
            Limiter limiter = limits.limiter("p", Limit.tokenBucket(1, 1, Duration.ofMillis(1)));
            for (int i = 0; i < 1000; i++) {
                limiter.tryAcquire("hot");
                CompletableFuture<Decision> first =
                        limiter.async().acquire("hot", LONG).toCompletableFuture();
                CompletableFuture<Boolean> cancelling = CompletableFuture.supplyAsync(() -> first.cancel(true));
                CompletableFuture<Decision> second =
                        limiter.async().acquire("hot", LONG).toCompletableFuture();
                assertThat(second.orTimeout(20, TimeUnit.SECONDS).join().allowed())
                        .isTrue();
                cancelling.join();
            }
        }
    }

    /** The clock fails while a request with too long a delay is refunded and another request waits behind it. */
    @Test
    void a_failed_refund_does_not_stop_the_line() {
        Queue<Runnable> onTimeRead = new ConcurrentLinkedQueue<>();
        Queue<Runnable> afterDecision = new ConcurrentLinkedQueue<>();
        Queue<CompletableFuture<Decision>> behind = new ConcurrentLinkedQueue<>();
        TimeSource time = () -> {
            Stream.ofNullable(onTimeRead.poll()).forEach(Runnable::run);
            return 1_800_000_000_000_000L;
        };
        try (InMemoryLimitEngine limits = InMemoryLimitEngine.builder()
                .time(time)
                .listener(new LimitListener() {
                    @Override
                    public void onDecision(
                            Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
                        Stream.ofNullable(afterDecision.poll()).forEach(Runnable::run);
                    }
                })
                .build()) {
            Limiter limiter = limits.limiter("p", Limit.leakyBucket(10, 1, HOUR).shaper());
            limiter.tryAcquire("hot");
            afterDecision.add(() -> {
                behind.add(limiter.async().acquire("hot", LONG).toCompletableFuture());
                assertThat(behind.element()).isNotDone();
                onTimeRead.add(() -> {
                    throw new IllegalStateException("no time");
                });
            });
            CompletableFuture<Decision> tooLong =
                    limiter.async().acquire("hot", LONG).toCompletableFuture();
            assertThat(tooLong).isCompletedWithValueMatching(Decision::denied);
            assertThat(behind.element()).succeedsWithin(WITHIN).matches(Decision::denied);
            // The first request stays charged, and the permits of the request behind it were refunded.
            assertThat(limiter.peek("hot").remaining()).isEqualTo(8);
        }
    }

    @Test
    void an_error_ends_one_wait_but_not_the_line() {
        Queue<Runnable> onTimeRead = new ConcurrentLinkedQueue<>();
        Queue<CompletableFuture<Decision>> behind = new ConcurrentLinkedQueue<>();
        TimeSource time = () -> {
            Stream.ofNullable(onTimeRead.poll()).forEach(Runnable::run);
            return 1_800_000_000_000_000L;
        };
        try (InMemoryLimitEngine limits =
                InMemoryLimitEngine.builder().time(time).build()) {
            Limiter limiter = limits.limiter("p", Limit.slidingWindow(1, HOUR));
            onTimeRead.add(() -> {
                behind.add(limiter.async().acquire("hot", LONG).toCompletableFuture());
                assertThat(behind.element()).isNotDone();
                throw new StackOverflowError();
            });
            CompletableFuture<Decision> first =
                    limiter.async().acquire("hot", LONG).toCompletableFuture();
            assertThat(behind.element()).succeedsWithin(WITHIN).matches(Decision::allowed);
            assertThatThrownBy(first::join).hasCauseInstanceOf(StackOverflowError.class);
        }
    }

    @Test
    void cancelling_the_wait_for_the_delay_of_a_shaper_refunds_immediately() {
        try (InMemoryLimitEngine limits =
                InMemoryLimitEngine.builder().time(() -> 1_800_000_000_000_000L).build()) {
            Limiter limiter = limits.limiter(
                    "p", Limit.leakyBucket(10, 1, Duration.ofSeconds(20)).shaper());
            limiter.tryAcquire("hot");
            CompletableFuture<Decision> delayed = limiter.async()
                    .acquire(PermitRequest.of("hot").withPermits(2), LONG)
                    .toCompletableFuture();
            assertThat(limiter.peek("hot").remaining()).isEqualTo(7);
            assertThat(delayed.cancel(true)).isTrue();
            assertThat(limiter.peek("hot").remaining()).isEqualTo(9);
        }
    }

    @Test
    void the_number_of_waiting_requests_is_bounded_over_all_lines() {
        try (InMemoryLimitEngine limits =
                InMemoryLimitEngine.builder().time(() -> 1_800_000_000_000_000L).build()) {
            Policy policy = Policy.named("p")
                    .rule("all", Limit.slidingWindow(1, Duration.ofSeconds(40)))
                    .rule("each", Limit.slidingWindow(1, HOUR), Attributes.KEY)
                    .build();
            Limiter limiter = limits.limiter(policy);
            limiter.tryAcquire("somebody");
            List<CompletableFuture<Decision>> waits = new ArrayList<>();
            for (int i = 0; i < WaitingLines.MOST_WAITING; i++) {
                waits.add(limiter.async().acquire("user" + i % 1000, LONG).toCompletableFuture());
            }
            assertThat(waits).noneMatch(CompletableFuture::isDone);
            assertThat(limiter.async().acquire("user1", LONG).toCompletableFuture())
                    .isCompletedWithValueMatching(Decision::denied);
            assertThat(limiter.async().acquire("another", LONG).toCompletableFuture())
                    .isCompletedWithValueMatching(Decision::denied);
            assertThat(waits.remove(0).cancel(true)).isTrue();
            waits.add(limiter.async().acquire("another", LONG).toCompletableFuture());
            assertThat(waits).noneMatch(CompletableFuture::isDone);
            // Cancels the last request first, so that no other one becomes the first in line.
            for (int i = waits.size() - 1; i >= 0; i--) {
                waits.get(i).cancel(true);
            }
        }
    }

    @Test
    void requests_that_wait_for_the_delay_of_a_shaper_count_towards_the_bound() {
        try (InMemoryLimitEngine limits =
                InMemoryLimitEngine.builder().time(() -> 1_800_000_000_000_000L).build()) {
            Limiter limiter = limits.limiter(
                    "p",
                    Limit.leakyBucket(1_000_000, 500_000, Duration.ofSeconds(30))
                            .shaper());
            limiter.tryAcquire(PermitRequest.of("hot").withPermits(500_000));
            List<CompletableFuture<Decision>> waits = new ArrayList<>();
            for (int i = 0; i < WaitingLines.MOST_WAITING; i++) {
                waits.add(limiter.async().acquire("hot", LONG).toCompletableFuture());
            }
            assertThat(waits.get(waits.size() - 1)).isNotDone();
            CompletableFuture<Decision> beyond =
                    limiter.async().acquire("hot", LONG).toCompletableFuture();
            assertThat(beyond).succeedsWithin(WITHIN).matches(Decision::denied);
            // By then, the delays of all waiting requests have passed.
            assertThat(beyond.join().retryAfter()).contains(Duration.ofSeconds(36));
            assertThat(limiter.peek("hot").remaining()).isEqualTo(400_000);
            assertThat(waits.get(0).cancel(true)).isTrue();
            CompletableFuture<Decision> next =
                    limiter.async().acquire("hot", LONG).toCompletableFuture();
            assertThat(next).isNotDone();
            next.cancel(true);
            waits.forEach(wait -> wait.cancel(true));
            assertThat(limiter.peek("hot").remaining()).isEqualTo(500_000);
        }
    }

    /** While one thread is registering the lines with the engine, no other thread may wait in unregistered lines. */
    @Test
    void concurrent_first_requests_all_end_when_the_engine_closes() {
        EngineState state = new EngineState(() -> "limits of this test");
        InMemoryLimitEngine limits =
                InMemoryLimitEngine.builder().time(() -> 1_800_000_000_000_000L).build();
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(1, Duration.ofSeconds(40)));
        limiter.tryAcquire("hot");
        WaitingLines lines = new WaitingLines(
                limiter.async(), state, (policy, attributes) -> Optional.empty(), (attributes, decision) -> {});
        List<CompletableFuture<Decision>> waits = new CopyOnWriteArrayList<>();
        List<CompletableFuture<Void>> entered = new ArrayList<>();
        state.lock.lock();
        try {
            for (int i = 1; i <= 2; i++) {
                CompletableFuture<Void> entering = CompletableFuture.runAsync(
                        () -> waits.add(lines.acquire(PermitRequest.of("hot"), LONG)),
                        task -> new Thread(task).start());
                entered.add(entering);
                while (state.lock.getQueueLength() < i && !entering.isDone()) {
                    Thread.onSpinWait();
                }
            }
            assertThat(entered).noneMatch(CompletableFuture::isDone);
        } finally {
            state.lock.unlock();
        }
        entered.forEach(CompletableFuture::join);
        limits.close();
        state.close();
        assertThat(waits).hasSize(2).allSatisfy(wait -> assertThat(wait).failsWithin(WITHIN));
    }

    /** A clock that goes back by centuries causes such a retry-after. */
    @Test
    void a_retry_after_of_centuries_ends_the_wait() {
        AtomicLong nowMicros = new AtomicLong(Duration.ofDays(400 * 366).toMillis() * 1000);
        try (InMemoryLimitEngine limits =
                InMemoryLimitEngine.builder().time(nowMicros::get).build()) {
            Limiter limiter = limits.limiter("p", Limit.slidingWindow(1, HOUR));
            limiter.tryAcquire("hot");
            nowMicros.set(1);
            assertThat(limiter.async().acquire("hot", HOUR).toCompletableFuture())
                    .succeedsWithin(Duration.ofSeconds(60))
                    .matches(Decision::denied);
        }
    }
}
