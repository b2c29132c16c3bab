package io.headgate.limits.internal;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Policy;
import io.headgate.limits.RequestId;
import io.headgate.limits.RequestIdReusedException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The calls that don't wait, over a limiter that never has to: each stage is complete when it is returned, but for those
 * of permits that are waited for.
 */
final class ImmediateAsyncLimiter implements AsyncLimiter {

    private final Limiter limiter;
    final WaitingLines waiting = new WaitingLines(this);

    ImmediateAsyncLimiter(Limiter limiter) {
        this.limiter = limiter;
    }

    @Override
    public Policy policy() {
        return limiter.policy();
    }

    @Override
    public CompletionStage<Decision> tryAcquire(Attributes attributes, long permits) {
        return CompletableFuture.completedFuture(limiter.tryAcquire(attributes, permits));
    }

    @Override
    public CompletionStage<Decision> tryAcquire(String id, long permits) {
        return CompletableFuture.completedFuture(limiter.tryAcquire(id, permits));
    }

    @Override
    public CompletionStage<Decision> tryAcquire(Attributes attributes, long permits, RequestId id) {
        try {
            return CompletableFuture.completedFuture(limiter.tryAcquire(attributes, permits, id));
        } catch (RequestIdReusedException | LimiterException e) {
            // As where a store finds it out.
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public CompletionStage<Decision> acquire(Attributes attributes, long permits, Duration maxWait) {
        return waiting.acquire(attributes, permits, maxWait);
    }

    @Override
    public CompletionStage<Decision> peek(Attributes attributes, long permits) {
        return CompletableFuture.completedFuture(limiter.peek(attributes, permits));
    }

    @Override
    public CompletionStage<Long> refund(Attributes attributes, Decision decision) {
        return CompletableFuture.completedFuture(limiter.refund(attributes, decision));
    }

    @Override
    public CompletionStage<Long> refund(Attributes attributes, long permits) {
        return CompletableFuture.completedFuture(limiter.refund(attributes, permits));
    }

    @Override
    public CompletionStage<Boolean> reset(String rule, Attributes attributes) {
        return CompletableFuture.completedFuture(limiter.reset(rule, attributes));
    }
}
