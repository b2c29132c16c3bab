package io.headgate.limits.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitListener;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An update, a refund or a reset by the same limiter immediately wakes waiting requests, but only those that it may allow. */
@Timeout(60)
class WakingTest {

    /** A window that is so long that no permit becomes available by itself during a test. */
    private static final Duration WINDOW = Duration.ofSeconds(55);

    private static final Duration LONG = Duration.ofSeconds(56);
    private static final Duration WITHIN = Duration.ofSeconds(20);

    /** All decisions, including those on requests that do not wait. */
    private final AtomicInteger attempts = new AtomicInteger();

    private final AtomicReference<Runnable> afterDecision = new AtomicReference<>(() -> {});
    private final InMemoryLimitEngine limits = InMemoryLimitEngine.builder()
            .listener(new LimitListener() {
                @Override
                public void onDecision(
                        Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
                    attempts.incrementAndGet();
                    afterDecision.getAndSet(() -> {}).run();
                }
            })
            .build();
    private final List<CompletableFuture<Decision>> waits = new ArrayList<>();

    @AfterEach
    void cancel() {
        // Cancels the last request first, so that no other one becomes the first in line.
        for (int i = waits.size() - 1; i >= 0; i--) {
            waits.get(i).cancel(true);
        }
    }

    @Test
    void a_raised_limit_serves_as_many_requests_as_it_allows() throws Exception {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(1, WINDOW));
        limiter.tryAcquire("alice");
        for (int i = 0; i < 4; i++) {
            wait(limiter, "alice", 1);
        }
        limiter.update(Policy.of("p", Limit.slidingWindow(4, WINDOW), Attributes.KEY));
        for (CompletableFuture<Decision> served : waits.subList(0, 3)) {
            assertThat(served).succeedsWithin(WITHIN).matches(Decision::allowed);
        }
        awaitAttempts();
        assertThat(waits.get(3)).isNotDone();
    }

    @Test
    void a_reset_wakes_only_the_requests_for_its_id() throws Exception {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(1, WINDOW));
        limiter.tryAcquire("alice");
        limiter.tryAcquire("bob");
        CompletableFuture<Decision> alice = wait(limiter, "alice", 1);
        CompletableFuture<Decision> bob = wait(limiter, "bob", 1);
        assertThat(limiter.reset("alice")).isTrue();
        assertThat(alice).succeedsWithin(WITHIN).matches(Decision::allowed);
        awaitAttempts();
        assertThat(bob).isNotDone();
        assertThat(attempts).hasValue(5);
    }

    @Test
    void a_refund_wakes_a_waiting_request_which_sleeps_again_after_a_denial() throws Exception {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(2, WINDOW));
        Decision first = limiter.tryAcquire("alice");
        Decision second = limiter.tryAcquire("alice");
        CompletableFuture<Decision> both = wait(limiter, "alice", 2);
        assertThat(limiter.refund("alice", first)).isEqualTo(1);
        awaitAttempts();
        // The request made one more attempt, and was denied.
        assertThat(both).isNotDone();
        assertThat(attempts).hasValue(4);
        assertThat(limiter.async().refund("alice", second).toCompletableFuture())
                .isCompletedWithValue(1L);
        assertThat(both).succeedsWithin(WITHIN).matches(Decision::allowed);
        assertThat(attempts).hasValue(5);
    }

    @Test
    void a_refund_of_nothing_wakes_no_request() throws Exception {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(1, WINDOW));
        limiter.tryAcquire("alice");
        wait(limiter, "alice", 1);
        Decision denial = limiter.tryAcquire("alice");
        assertThat(limiter.refund("alice", denial)).isZero();
        assertThat(limiter.reset("bob")).isFalse();
        awaitAttempts();
        assertThat(attempts).hasValue(3);
    }

    @Test
    void a_refund_wakes_at_most_as_many_lines_as_permits_and_only_lines_that_its_counts_denied() throws Exception {
        Limiter limiter = limits.limiter(Policy.named("p")
                .rule("global", Limit.slidingWindow(3, WINDOW))
                .rule("each", Limit.slidingWindow(2, WINDOW), Attributes.KEY)
                .build());
        limiter.tryAcquire(PermitRequest.of("alice").withPermits(2));
        CompletableFuture<Decision> alice = wait(limiter, "alice", 1);
        Decision decision = limiter.tryAcquire("zoe");
        for (int i = 0; i < 10; i++) {
            wait(limiter, "user" + i, 1);
        }
        int before = attempts.get();
        // One permit of the global rule is free, for which ten lines wait. Alice waits for her own count, which got
        // nothing back.
        assertThat(limiter.refund("zoe", decision)).isEqualTo(1);
        assertThat(waits.get(1)).succeedsWithin(WITHIN).matches(Decision::allowed);
        awaitAttempts();
        assertThat(attempts).hasValue(before + 1);
        assertThat(alice).isNotDone();
    }

    @Test
    void a_change_during_an_attempt_leads_to_another_attempt() {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(1, WINDOW));
        Decision decision = limiter.tryAcquire("alice");
        // The attempt was denied, but its result has not been delivered yet.
        afterDecision.set(() -> limiter.refund("alice", decision));
        assertThat(wait(limiter, "alice", 1)).succeedsWithin(WITHIN).matches(Decision::allowed);

        afterDecision.set(() -> limiter.update(Policy.of("p", Limit.slidingWindow(2, WINDOW), Attributes.KEY)));
        assertThat(wait(limiter, "alice", 1)).succeedsWithin(WITHIN).matches(Decision::allowed);

        // Also for a request that would not have waited at all.
        afterDecision.set(() -> limiter.reset("alice"));
        assertThat(limiter.async().acquire("alice", Duration.ofSeconds(30)).toCompletableFuture())
                .succeedsWithin(WITHIN)
                .matches(Decision::allowed);
        assertThat(attempts).hasValue(7);
    }

    @Test
    void a_thousand_lines_are_all_woken() {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(1, WINDOW));
        for (int i = 0; i < 1000; i++) {
            limiter.tryAcquire("user" + i);
            wait(limiter, "user" + i, 1);
        }
        limiter.update(Policy.of("p", Limit.slidingWindow(2, WINDOW), Attributes.KEY));
        assertThat(waits)
                .allSatisfy(wait -> assertThat(wait).succeedsWithin(WITHIN).matches(Decision::allowed));
        assertThat(attempts).hasValue(3000);
    }

    @Test
    void a_refund_skips_a_cancelled_request() throws Exception {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(1, WINDOW));
        Decision decision = limiter.tryAcquire("alice");
        CompletableFuture<Decision> first = wait(limiter, "alice", 1);
        CompletableFuture<Decision> second = wait(limiter, "alice", 1);
        first.cancel(true);
        limiter.refund("alice", decision);
        assertThat(second).succeedsWithin(WITHIN).matches(Decision::allowed);
    }

    private CompletableFuture<Decision> wait(Limiter limiter, String id, long permits) {
        CompletableFuture<Decision> wait = limiter.async()
                .acquire(PermitRequest.of(id).withPermits(permits), LONG)
                .toCompletableFuture();
        waits.add(wait);
        return wait;
    }

    /** Waits until woken requests, and those that follow them in line, have made their attempts, all on the timer thread. */
    private static void awaitAttempts() throws Exception {
        // Each round waits for the tasks that those of the round before have scheduled.
        for (int i = 0; i < 5; i++) {
            Wait.TIMER.submit(() -> {}).get();
        }
    }
}
