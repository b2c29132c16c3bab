package io.headgate.limits.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Decision;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A callback that users chain to a wait may block; it delays no other waiting request. */
@Timeout(60)
class BlockingCallbackTest {

    private static final Duration WINDOW = Duration.ofSeconds(55);
    private static final Duration LONG = Duration.ofSeconds(56);
    private static final Duration WITHIN = Duration.ofSeconds(20);

    private final InMemoryLimitEngine limits = InMemoryLimitEngine.create();
    private final Limiter limiter = limits.limiter("p", Limit.slidingWindow(1, WINDOW));
    private final CountDownLatch end = new CountDownLatch(1);

    @AfterEach
    void letThemGo() {
        end.countDown();
    }

    @Test
    void those_behind_and_in_other_lines_are_served_while_callbacks_block() {
        CompletableFuture<Decision> behind = null;
        for (int i = 0; i < WaitAnswer.THREADS - 1; i++) {
            String id = "user" + i;
            limiter.tryAcquire(id);
            CountDownLatch blocked = blockWhenTold(id);
            behind = limiter.async().acquire(id, LONG).toCompletableFuture();
            limiter.refundOldest(PermitRequest.of(id));
            await(blocked);
            limiter.refundOldest(PermitRequest.of(id));
            assertThat(behind).succeedsWithin(WITHIN).matches(Decision::allowed);
        }
    }

    @Test
    void lines_continue_and_waiting_threads_are_served_even_with_the_most_blocked_callbacks() throws Exception {
        List<CountDownLatch> blocked = new ArrayList<>();
        for (int i = 0; i < WaitAnswer.THREADS; i++) {
            limiter.tryAcquire("user" + i);
            blocked.add(blockWhenTold("user" + i));
            limiter.refundOldest(PermitRequest.of("user" + i));
        }
        blocked.forEach(BlockingCallbackTest::await);
        CompletableFuture<Decision> untold =
                limiter.async().acquire("user0", LONG).toCompletableFuture();
        CompletableFuture<Decision> onItsThread = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                onItsThread.complete(limiter.acquire("user0", LONG));
            } catch (InterruptedException | RuntimeException e) {
                onItsThread.completeExceptionally(e);
            }
        });
        thread.start();
        while (thread.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        // Again and again: when it comes, the one before may not have been served yet.
        while (!onItsThread.isDone()) {
            limiter.refundOldest(PermitRequest.of("user0"));
        }
        assertThat(onItsThread).isCompletedWithValueMatching(Decision::allowed);
        assertThat(untold).isNotDone();
        end.countDown();
        assertThat(untold).succeedsWithin(WITHIN).matches(Decision::allowed);
    }

    /** A callback of a cancelled or overdue wait runs on the thread that ends the wait. */
    @Test
    void the_next_is_served_while_a_callback_of_one_who_gave_up_blocks() {
        Limiter two = limits.limiter("two", Limit.slidingWindow(2, WINDOW));
        two.tryAcquire(PermitRequest.of("alice").withPermits(2));
        CompletableFuture<Decision> first = two.async()
                .acquire(PermitRequest.of("alice").withPermits(2), LONG)
                .toCompletableFuture();
        CompletableFuture<Decision> second = two.async()
                .acquire(PermitRequest.of("alice").withPermits(2), LONG)
                .toCompletableFuture();
        CountDownLatch blocked = new CountDownLatch(2);
        first.whenComplete((decision, problem) -> block(blocked));
        second.whenComplete((decision, problem) -> block(blocked));
        CompletableFuture<Decision> third = two.async().acquire("alice", LONG).toCompletableFuture();
        new Thread(() -> first.cancel(true)).start();
        new Thread(() -> second.completeExceptionally(new TimeoutException())).start();
        await(blocked);
        two.refundOldest(PermitRequest.of("alice"));
        assertThat(third).succeedsWithin(WITHIN).matches(Decision::allowed);
        assertThat(first).isCancelled();
        assertThat(second).isCompletedExceptionally();
        assertThat(two.peek("alice").remaining()).isZero();
    }

    /** Its callback blocks from when its wait ends; which it has not yet when this returns. */
    private CountDownLatch blockWhenTold(String id) {
        CountDownLatch blocked = new CountDownLatch(1);
        limiter.async().acquire(id, LONG).thenAccept(decision -> block(blocked));
        return blocked;
    }

    private void block(CountDownLatch blocked) {
        blocked.countDown();
        await(end);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(50, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
