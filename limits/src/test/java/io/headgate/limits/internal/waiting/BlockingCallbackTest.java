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

/** A callback of a waiting request's stage may block without delaying other waiting requests. */
@Timeout(60)
class BlockingCallbackTest {

    private static final Duration WINDOW = Duration.ofSeconds(55);
    private static final Duration LONG = Duration.ofSeconds(56);
    private static final Duration WITHIN = Duration.ofSeconds(20);

    private final InMemoryLimitEngine limits = InMemoryLimitEngine.create();
    private final Limiter limiter = limits.limiter("p", Limit.slidingWindow(1, WINDOW));
    private final CountDownLatch end = new CountDownLatch(1);

    @AfterEach
    void unblockCallbacks() {
        end.countDown();
    }

    @Test
    void other_requests_are_served_while_callbacks_block() {
        CompletableFuture<Decision> behind = null;
        for (int i = 0; i < WaitAnswer.THREADS - 1; i++) {
            String id = "user" + i;
            limiter.tryAcquire(id);
            CountDownLatch blocked = acquireWithBlockingCallback(id);
            behind = limiter.async().acquire(id, LONG).toCompletableFuture();
            limiter.refundOldest(PermitRequest.of(id));
            await(blocked);
            limiter.refundOldest(PermitRequest.of(id));
            assertThat(behind).succeedsWithin(WITHIN).matches(Decision::allowed);
        }
    }

    @Test
    void blocking_callers_are_served_even_if_all_callback_threads_are_blocked() throws Exception {
        List<CountDownLatch> blocked = new ArrayList<>();
        for (int i = 0; i < WaitAnswer.THREADS; i++) {
            limiter.tryAcquire("user" + i);
            blocked.add(acquireWithBlockingCallback("user" + i));
            limiter.refundOldest(PermitRequest.of("user" + i));
        }
        blocked.forEach(BlockingCallbackTest::await);
        CompletableFuture<Decision> undelivered =
                limiter.async().acquire("user0", LONG).toCompletableFuture();
        CompletableFuture<Decision> onOwnThread = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                onOwnThread.complete(limiter.acquire("user0", LONG));
            } catch (InterruptedException | RuntimeException e) {
                onOwnThread.completeExceptionally(e);
            }
        });
        thread.start();
        while (thread.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        // Refunds repeatedly, because a permit may first serve the other waiting request.
        while (!onOwnThread.isDone()) {
            limiter.refundOldest(PermitRequest.of("user0"));
        }
        assertThat(onOwnThread).isCompletedWithValueMatching(Decision::allowed);
        assertThat(undelivered).isNotDone();
        end.countDown();
        assertThat(undelivered).succeedsWithin(WITHIN).matches(Decision::allowed);
    }

    /** A callback of a cancelled or completed wait runs on the thread that ends the wait. */
    @Test
    void the_next_request_is_served_while_a_callback_of_a_cancelled_one_blocks() {
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

    /** Adds a waiting request whose callback blocks; the latch is released when the callback runs. */
    private CountDownLatch acquireWithBlockingCallback(String id) {
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
