package io.headgate.redis.limits;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.RequestId;
import java.util.concurrent.CompletableFuture;

/** A call to a limiter, with its expected result. */
public sealed interface Call {

    long atMicros();

    Policy policy();

    /** A decision, the number of refunded permits, whether anything was reset, or the simple name of an exception. */
    Object expected();

    /** The call as text, for failure messages. */
    String description();

    /** Makes the call without waiting for the result. */
    default CompletableFuture<?> send(AsyncLimiter limiter) {
        return send(limiter, attributes());
    }

    /** Makes the call with other attributes than its own. */
    CompletableFuture<?> send(AsyncLimiter limiter, Attributes attributes);

    Attributes attributes();

    record Acquire(long atMicros, Policy policy, Attributes attributes, long permits, Object expected) implements Call {
        @Override
        public String description() {
            return "acquire " + permits + " for " + attributes;
        }

        @Override
        public CompletableFuture<?> send(AsyncLimiter limiter, Attributes attributes) {
            return limiter.tryAcquire(PermitRequest.of(attributes).withPermits(permits))
                    .toCompletableFuture();
        }
    }

    /** A request with an id. If the id was used for another request, the expected result is the name of an exception. */
    record AcquireWithId(
            long atMicros, Policy policy, Attributes attributes, long permits, RequestId id, Object expected)
            implements Call {
        @Override
        public String description() {
            return "acquire " + permits + " for " + attributes + " once, as " + id.value();
        }

        @Override
        public CompletableFuture<?> send(AsyncLimiter limiter, Attributes attributes) {
            return limiter.tryAcquire(
                            PermitRequest.of(attributes).withPermits(permits).withId(id))
                    .<Object>handle((decision, problem) ->
                            problem == null ? decision : problem.getClass().getSimpleName())
                    .toCompletableFuture();
        }
    }

    record Peek(long atMicros, Policy policy, Attributes attributes, long permits, Object expected) implements Call {
        @Override
        public String description() {
            return "peek " + permits + " for " + attributes;
        }

        @Override
        public CompletableFuture<?> send(AsyncLimiter limiter, Attributes attributes) {
            return limiter.peek(PermitRequest.of(attributes).withPermits(permits))
                    .toCompletableFuture();
        }
    }

    record Reset(long atMicros, Policy policy, String rule, Attributes attributes, Object expected) implements Call {
        @Override
        public String description() {
            return "reset " + rule + " for " + attributes;
        }

        @Override
        public CompletableFuture<?> send(AsyncLimiter limiter, Attributes attributes) {
            return limiter.resetRule(rule, attributes).toCompletableFuture();
        }
    }

    /** The refund of a decision. */
    record Refund(long atMicros, Policy policy, Attributes attributes, Decision decision, Object expected)
            implements Call {
        @Override
        public String description() {
            return "refund for " + attributes + " of " + decision;
        }

        @Override
        public CompletableFuture<?> send(AsyncLimiter limiter, Attributes attributes) {
            return limiter.refund(attributes, decision).toCompletableFuture();
        }
    }

    /** The refund of the oldest permits. */
    record RefundOldest(long atMicros, Policy policy, Attributes attributes, long permits, Object expected)
            implements Call {
        @Override
        public String description() {
            return "refund " + permits + " for " + attributes;
        }

        @Override
        public CompletableFuture<?> send(AsyncLimiter limiter, Attributes attributes) {
            return limiter.refundOldest(PermitRequest.of(attributes).withPermits(permits))
                    .toCompletableFuture();
        }
    }
}
