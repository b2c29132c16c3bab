package io.headgate.spring.web.internal;

import io.headgate.limits.Decision;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.combined.CombinedDecision;
import io.headgate.limits.combined.CombinedRequest;
import io.headgate.spring.internal.Futures;
import java.util.concurrent.CompletableFuture;

/** How the steps of a decision wait for results. The two ways share the logic of the decision, which consists of futures. */
enum Calls {
    /** Every step waits, so that all futures are complete and the whole decision runs on the thread of the caller. */
    BLOCKING {
        @Override
        <T> CompletableFuture<T> settled(CompletableFuture<T> future) {
            return Futures.settled(future);
        }

        @Override
        CompletableFuture<Decision> acquire(Limiter limiter, PermitRequest request) {
            return CompletableFuture.completedFuture(limiter.tryAcquire(request));
        }

        @Override
        CompletableFuture<CombinedDecision> acquire(LimitEngine engine, CombinedRequest request) {
            return CompletableFuture.completedFuture(engine.tryAcquire(request));
        }
    },

    /** No step waits. */
    ASYNCHRONOUS {
        @Override
        <T> CompletableFuture<T> settled(CompletableFuture<T> future) {
            return future;
        }

        @Override
        CompletableFuture<Decision> acquire(Limiter limiter, PermitRequest request) {
            return limiter.async().tryAcquire(request).toCompletableFuture();
        }

        @Override
        CompletableFuture<CombinedDecision> acquire(LimitEngine engine, CombinedRequest request) {
            return engine.tryAcquireAsync(request).toCompletableFuture();
        }
    };

    /** Returns the future, which is complete if steps wait. It may have failed. */
    abstract <T> CompletableFuture<T> settled(CompletableFuture<T> future);

    /** Requests permits of one policy. May throw what the limiter throws. */
    abstract CompletableFuture<Decision> acquire(Limiter limiter, PermitRequest request);

    /** Requests permits of several policies. May throw what the engine throws. */
    abstract CompletableFuture<CombinedDecision> acquire(LimitEngine engine, CombinedRequest request);
}
