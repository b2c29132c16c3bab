package io.headgate.redis.limits.internal.leases;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Sends the refunds of leased permits with bounded concurrency. Otherwise the refunds of a whole policy could exceed the maximum of calls
 * in flight, and delay requests. Refunds beyond the buffer are dropped, and their permits remain charged. Safe for use by several threads,
 * without a lock.
 */
final class LeaseReturns {

    static final int MAX_IN_FLIGHT = 64;
    static final int MAX_OPEN = 100_000;

    private final Queue<Supplier<? extends CompletableFuture<?>>> waiting = new ConcurrentLinkedQueue<>();

    /** The number of refunds that wait or are in flight. */
    private final AtomicInteger open = new AtomicInteger();

    private final AtomicInteger inFlight = new AtomicInteger();

    /**
     * The number of calls of {@link #sendNext} since the running one started. That one serves them all, so that refunds that fail
     * immediately do not recurse.
     */
    private final AtomicInteger sendRequests = new AtomicInteger();

    private final Queue<CompletableFuture<Void>> awaitingEmpty = new ConcurrentLinkedQueue<>();

    /** Sends a refund, immediately or when earlier ones have completed. */
    void add(Supplier<? extends CompletableFuture<?>> refund) {
        if (open.incrementAndGet() > MAX_OPEN) {
            closeOne();
            return;
        }
        waiting.add(refund);
        sendNext();
    }

    /** Completes when no refund waits or is in flight. */
    CompletableFuture<Void> whenEmpty() {
        CompletableFuture<Void> empty = new CompletableFuture<>();
        awaitingEmpty.add(empty);
        completeIfEmpty();
        return empty;
    }

    private void sendNext() {
        if (sendRequests.getAndIncrement() != 0) {
            return;
        }
        int served = 1;
        do {
            for (int free = MAX_IN_FLIGHT - inFlight.get(); free > 0; free--) {
                Supplier<? extends CompletableFuture<?>> next = waiting.poll();
                if (next == null) {
                    break;
                }
                inFlight.incrementAndGet();
                send(next).whenComplete((answer, problem) -> {
                    inFlight.decrementAndGet();
                    closeOne();
                    sendNext();
                });
            }
            served = sendRequests.addAndGet(-served);
        } while (served != 0);
    }

    /** Sends a refund. The result fails, too, if the refund can't be sent, so that later ones are not blocked. */
    private static CompletableFuture<?> send(Supplier<? extends CompletableFuture<?>> refund) {
        try {
            return refund.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void closeOne() {
        open.decrementAndGet();
        completeIfEmpty();
    }

    private void completeIfEmpty() {
        if (open.get() == 0) {
            List<CompletableFuture<Void>> completed = new ArrayList<>();
            for (CompletableFuture<Void> one = awaitingEmpty.poll(); one != null; one = awaitingEmpty.poll()) {
                completed.add(one);
            }
            completed.forEach(one -> one.complete(null));
        }
    }
}
