package io.headgate.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WaitingTest {

    private static final Duration LONG = Duration.ofSeconds(50);
    private static final Duration WINDOW = Duration.ofMillis(40);
    private static final Attributes ALICE = Attributes.of(Attributes.KEY, "alice");

    /** All decisions, including those on requests that do not wait. */
    private final AtomicInteger attempts = new AtomicInteger();

    private final InMemoryLimitEngine limits = InMemoryLimitEngine.builder()
            .listener(new LimitListener() {
                @Override
                public void onDecision(
                        Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
                    attempts.incrementAndGet();
                }
            })
            .build();

    @Test
    void a_waiting_request_makes_no_attempt_before_it_can_be_admitted() throws InterruptedException {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(1, WINDOW));
        for (int i = 0; i < 5; i++) {
            assertThat(limiter.acquire("alice", LONG).allowed()).isTrue();
        }
        // Each of the four later requests is denied at most once, and its next attempt is not made before it can be
        // admitted.
        assertThat(attempts).hasValueBetween(5, 9);
    }

    @Test
    void a_request_that_can_not_be_admitted_in_time_is_denied_immediately() throws InterruptedException {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(2, Duration.ofHours(1)));
        assertThat(limiter.acquire(PermitRequest.of("alice").withPermits(2), Duration.ZERO)
                        .allowed())
                .isTrue();
        Decision denied = limiter.acquire("alice", LONG);
        assertThat(denied.denied()).isTrue();
        assertThat(denied.retryAfter())
                .hasValueSatisfying(wait -> assertThat(wait).isGreaterThan(LONG));
        assertThat(limiter.acquire(PermitRequest.of("alice").withPermits(3), LONG)
                        .retryable())
                .isFalse();
    }

    @Test
    void waiting_requests_are_served_in_the_order_of_arrival_whatever_their_permits() {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(3, WINDOW));
        assertThat(limiter.tryAcquire(PermitRequest.of("alice").withPermits(3)).allowed())
                .isTrue();
        List<CompletableFuture<Decision>> waits = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            // Every third request is for all permits, which are never available together while other requests take
            // single ones.
            long permits = i % 3 == 0 ? 3 : 1;
            waits.add(limiter.async()
                    .acquire(PermitRequest.of(ALICE).withPermits(permits), LONG)
                    .toCompletableFuture());
        }
        assertThat(waits)
                .extracting(CompletableFuture::join)
                .allMatch(Decision::allowed)
                .extracting(Decision::decidedAt)
                .isSorted();
    }

    @Test
    void requests_for_different_ids_wait_in_different_lines() throws InterruptedException {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(1, Duration.ofSeconds(40)));
        limiter.tryAcquire("alice");
        CompletableFuture<Decision> alice =
                limiter.async().acquire("alice", LONG).toCompletableFuture();
        assertThat(limiter.acquire("bob", LONG).allowed()).isTrue();
        assertThat(alice).isNotDone();
        alice.cancel(true);
    }

    @Test
    void a_request_that_was_never_first_receives_the_denial_of_the_first_at_its_deadline() {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(1, Duration.ofSeconds(40)));
        limiter.tryAcquire("alice");
        CompletableFuture<Decision> first =
                limiter.async().acquire("alice", LONG).toCompletableFuture();
        Decision second = limiter.async()
                .acquire("alice", Duration.ofMillis(20))
                .toCompletableFuture()
                .join();
        assertThat(second.denied()).isTrue();
        assertThat(first).isNotDone();
        first.cancel(true);
        assertThat(attempts).hasValue(2);
    }

    @Test
    void a_cancelled_wait_charges_nothing_and_the_next_request_makes_an_attempt() {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(2, WINDOW));
        limiter.tryAcquire(PermitRequest.of("alice").withPermits(2));
        CompletableFuture<Decision> first = limiter.async()
                .acquire(PermitRequest.of(ALICE).withPermits(2), LONG)
                .toCompletableFuture();
        CompletableFuture<Decision> second =
                limiter.async().acquire(PermitRequest.of(ALICE), LONG).toCompletableFuture();
        assertThat(first.cancel(true)).isTrue();
        Decision decision = second.join();
        assertThat(decision.allowed()).isTrue();
        assertThat(decision.remaining()).isEqualTo(1);
    }

    @Test
    void an_interrupt_ends_the_wait() throws InterruptedException {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(1, Duration.ofSeconds(40)));
        limiter.tryAcquire("alice");
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        Thread waiting = new Thread(() -> {
            try {
                limiter.acquire("alice", LONG);
                end.complete(new AssertionError("it continued"));
            } catch (InterruptedException e) {
                end.complete(e);
            }
        });
        waiting.start();
        waiting.interrupt();
        waiting.join();
        assertThat(end.join()).isInstanceOf(InterruptedException.class);
        assertThat(limiter.peek("alice").remaining()).isZero();
    }

    @Test
    void acquire_waits_for_the_delay_of_a_shaper_and_refunds_a_request_whose_delay_is_too_long()
            throws InterruptedException {
        // The clock of the engine stands still, so nothing leaks out.
        try (InMemoryLimitEngine still =
                InMemoryLimitEngine.builder().time(() -> 1_800_000_000_000_000L).build()) {
            Limiter limiter =
                    still.limiter("p", Limit.leakyBucket(100, 1, WINDOW).shaper());
            assertThat(limiter.acquire(PermitRequest.of("alice").withPermits(2), Duration.ZERO)
                            .delay())
                    .isZero();
            long before = System.nanoTime();
            Decision second = limiter.acquire("alice", LONG);
            assertThat(second.delay()).isEqualTo(WINDOW.multipliedBy(2));
            assertThat(System.nanoTime() - before)
                    .isGreaterThanOrEqualTo(second.delay().toNanos());
            assertThat(limiter.acquire("alice", WINDOW).retryAfter())
                    .hasValueSatisfying(wait -> assertThat(wait).isGreaterThanOrEqualTo(WINDOW.multipliedBy(2)));
            assertThat(limiter.peek("alice").remaining()).isEqualTo(97);
        }
    }

    @Test
    void a_request_behind_a_cancelled_one_fails_when_the_engine_is_closed() {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(1, Duration.ofSeconds(40)));
        limiter.tryAcquire("alice");
        CompletableFuture<Decision> first =
                limiter.async().acquire("alice", LONG).toCompletableFuture();
        CompletableFuture<Decision> second =
                limiter.async().acquire("alice", LONG).toCompletableFuture();
        limits.close();
        first.cancel(true);
        assertThatThrownBy(second::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void invalid_arguments_are_rejected_immediately() {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(1, WINDOW));
        assertThatThrownBy(() -> limiter.acquire(PermitRequest.of("alice").withPermits(0), LONG))
                .hasMessageContaining("permits must be at least 1");
        assertThatThrownBy(() -> limiter.acquire("alice", Duration.ofMillis(-1)))
                .hasMessageContaining("maxWait must be from 0 to 366 days, was PT-0.001S");
        assertThatThrownBy(() -> limiter.acquire(PermitRequest.global(), LONG)).hasMessageContaining("\"key\"");
    }
}
