package io.headgate.limits.internal.memory;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.RequestIdReusedException;
import io.headgate.limits.bans.BanTarget;
import io.headgate.limits.internal.EngineState;
import io.headgate.limits.internal.waiting.WaitingLines;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/** The asynchronous form of the limiter in memory. All stages are complete when they are returned, except those of {@code acquire}. */
final class ImmediateAsyncLimiter implements AsyncLimiter {

    private final Limiter limiter;
    private final EngineState state;
    final WaitingLines waiting;

    /**
     * Creates the asynchronous form of a limiter.
     *
     * @param bans returns the target of the ban or exemption that applies to a request
     * @param refund refunds a decision that no caller receives
     */
    ImmediateAsyncLimiter(
            Limiter limiter,
            EngineState state,
            BiFunction<Policy, Attributes, Optional<BanTarget>> bans,
            BiConsumer<Attributes, Decision> refund) {
        this.limiter = limiter;
        this.state = state;
        this.waiting = new WaitingLines(this, state, bans, refund);
    }

    /** Returns a completed future: the result, or a failure if the engine is closed. Throws the exception for an invalid argument. */
    private <T> CompletableFuture<T> answered(Supplier<T> call) {
        try {
            return CompletableFuture.completedFuture(call.get());
        } catch (IllegalStateException e) {
            if (state.isClosed()) {
                return CompletableFuture.failedFuture(e);
            }
            throw e;
        }
    }

    @Override
    public Policy policy() {
        return limiter.policy();
    }

    @Override
    public CompletionStage<Decision> tryAcquire(String id) {
        return answered(() -> limiter.tryAcquire(id));
    }

    @Override
    public CompletionStage<Decision> tryAcquire(PermitRequest request) {
        try {
            return answered(() -> limiter.tryAcquire(request));
        } catch (RequestIdReusedException | LimiterException e) {
            // As on Redis, these fail the stage.
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public CompletionStage<Decision> acquire(PermitRequest request, Duration maxWait) {
        return waiting.acquire(request, maxWait);
    }

    @Override
    public CompletionStage<Decision> peek(PermitRequest request) {
        return answered(() -> limiter.peek(request));
    }

    @Override
    public CompletionStage<Long> refund(Attributes attributes, Decision decision) {
        return answered(() -> limiter.refund(attributes, decision));
    }

    @Override
    public CompletionStage<Long> refundOldest(PermitRequest request) {
        return answered(() -> limiter.refundOldest(request));
    }

    @Override
    public CompletionStage<Boolean> resetRule(String rule, Attributes attributes) {
        return answered(() -> limiter.resetRule(rule, attributes));
    }

    @Override
    public CompletionStage<Duration> pause(Attributes attributes, Duration pause) {
        try {
            return answered(() -> limiter.pause(attributes, pause));
        } catch (LimiterException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public CompletionStage<Boolean> resume(Attributes attributes) {
        return answered(() -> limiter.resume(attributes));
    }
}
