package io.headgate.redis.limits;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Sends what leases give back, so much at a time: all of a policy at once could be more than may be under way, and those who
 * ask would have to wait behind it. What there is no room for stays charged, as if it had been spent.
 */
final class GiveBacks {

    static final int MOST_AT_ONCE = 64;
    static final int MOST_WAITING = 100_000;

    private final Queue<Supplier<? extends CompletableFuture<?>>> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger underWay = new AtomicInteger();

    /** How often somebody wanted to send since the one who does so began: calls that fail at once are not to nest. */
    private final AtomicInteger wanted = new AtomicInteger();

    private final Queue<CompletableFuture<Void>> awaitingNone = new ConcurrentLinkedQueue<>();

    /** Sends it, now or when others have been answered. */
    void add(Supplier<? extends CompletableFuture<?>> call) {
        if (open.incrementAndGet() > MOST_WAITING) {
            closeOne();
            return;
        }
        waiting.add(call);
        sendSome();
    }

    /** Done when none waits or is under way any more. */
    CompletableFuture<Void> none() {
        CompletableFuture<Void> none = new CompletableFuture<>();
        awaitingNone.add(none);
        tellIfNone();
        return none;
    }

    private void sendSome() {
        if (wanted.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        do {
            for (int free = MOST_AT_ONCE - underWay.get(); free > 0; free--) {
                Supplier<? extends CompletableFuture<?>> next = waiting.poll();
                if (next == null) {
                    break;
                }
                underWay.incrementAndGet();
                sent(next).whenComplete((answer, problem) -> {
                    underWay.decrementAndGet();
                    closeOne();
                    sendSome();
                });
            }
            seen = wanted.addAndGet(-seen);
        } while (seen != 0);
    }

    /** What can't even be sent has failed as any other, and holds up none of those behind it. */
    private static CompletableFuture<?> sent(Supplier<? extends CompletableFuture<?>> call) {
        try {
            return call.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void closeOne() {
        open.decrementAndGet();
        tellIfNone();
    }

    private void tellIfNone() {
        if (open.get() == 0) {
            List<CompletableFuture<Void>> told = new ArrayList<>();
            for (CompletableFuture<Void> one = awaitingNone.poll(); one != null; one = awaitingNone.poll()) {
                told.add(one);
            }
            told.forEach(one -> one.complete(null));
        }
    }
}
