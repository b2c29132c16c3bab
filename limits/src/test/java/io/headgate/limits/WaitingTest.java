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

    private final AtomicInteger asked = new AtomicInteger();
    private final InMemoryLimitEngine limits = InMemoryLimitEngine.builder()
            .listener(new LimitListener() {
                @Override
                public void onDecision(
                        Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
                    asked.incrementAndGet();
                }
            })
            .build();

    @Test
    void who_waits_is_admitted_as_soon_as_there_are_permits() throws InterruptedException {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(1, WINDOW));
        for (int i = 0; i < 5; i++) {
            assertThat(limiter.acquire("alice", LONG).allowed()).isTrue();
        }
        // Each of the four after the first was denied once at most, and then not before it could be admitted.
        assertThat(asked).hasValueBetween(5, 9);
    }

    @Test
    void who_could_not_be_admitted_in_time_is_denied_at_once_and_not_charged() throws InterruptedException {
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
    void those_who_wait_are_served_in_the_order_in_which_they_came_however_many_permits_they_want() {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(3, WINDOW));
        assertThat(limiter.tryAcquire(PermitRequest.of("alice").withPermits(3)).allowed())
                .isTrue();
        List<CompletableFuture<Decision>> waits = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            // Every third wants all of them, which never are there while others take one at a time.
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
    void who_waits_for_other_ids_is_in_another_line() throws InterruptedException {
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
        assertThat(asked).hasValue(2);
    }

    @Test
    void a_wait_that_is_cancelled_charges_nothing_and_lets_the_next_one_ask() {
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
    void acquire_waits_for_a_shaper_and_refunds_too_long_a_delay() throws InterruptedException {
        // The time of the limits stands still, so that nothing leaks out.
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
    void a_fault_ends_one_wait_and_not_those_behind_it() {
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
    void what_is_asked_wrongly_is_refused_at_once() {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(1, WINDOW));
        assertThatThrownBy(() -> limiter.acquire(PermitRequest.of("alice").withPermits(0), LONG))
                .hasMessageContaining("permits must be at least 1");
        assertThatThrownBy(() -> limiter.acquire("alice", Duration.ofMillis(-1)))
                .hasMessageContaining("maxWait must be from 0 to 366 days, was PT-0.001S");
        assertThatThrownBy(() -> limiter.acquire(PermitRequest.global(), LONG)).hasMessageContaining("\"key\"");
    }
}
