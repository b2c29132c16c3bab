package io.headgate.redis.limits.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * Bounds the copies of requests that shadow limiters send, so that no real request fails because of them: they use the connection only while it
 * is healthy and less than a quarter of its calls is in flight, and at most a tenth of its calls. Calls that have timed out are in flight
 * until Redis replies. Safe for use by any number of threads.
 */
public final class CopyBound {

    private static final int MOST = 1000;

    private final int most;
    private final int quarter;
    private final IntSupplier inFlight;
    private final BooleanSupplier isHealthy;
    private final AtomicInteger outstanding = new AtomicInteger();

    /**
     * Creates the bound of an engine.
     *
     * @param maxInFlightCalls the maximum number of calls of the engine
     * @param inFlight the number of calls and requests in flight, including copies
     * @param isHealthy whether Redis replies
     */
    public CopyBound(int maxInFlightCalls, IntSupplier inFlight, BooleanSupplier isHealthy) {
        this.most = Math.max(1, Math.min(MOST, maxInFlightCalls / 10));
        this.quarter = maxInFlightCalls / 4;
        this.inFlight = inFlight;
        this.isHealthy = isHealthy;
    }

    /** Makes a call, or returns a stage that has failed with a {@link RejectedExecutionException}. */
    <T> CompletionStage<T> send(Supplier<CompletionStage<T>> copy) {
        if (outstanding.incrementAndGet() > most || inFlight.getAsInt() >= quarter || !isHealthy.getAsBoolean()) {
            outstanding.decrementAndGet();
            return CompletableFuture.failedFuture(new RejectedExecutionException(
                    "the copy of a request was not sent: too many calls are in flight, or Redis does not reply"));
        }
        CompletionStage<T> sent;
        try {
            sent = copy.get();
        } catch (RuntimeException e) {
            outstanding.decrementAndGet();
            throw e;
        }
        return sent.whenComplete((decision, failure) -> outstanding.decrementAndGet());
    }
}
