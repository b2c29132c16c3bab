package io.headgate.redis.limits;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.RequestId;
import java.util.concurrent.CompletableFuture;

/** A question to an engine, and what it must answer. */
public sealed interface Call {

    long atMicros();

    Policy policy();

    /** The decision, or whether there was anything to reset. */
    Object expected();

    /** What is asked, for people. */
    String question();

    /** Asks without waiting for the answer. */
    default CompletableFuture<?> ask(AsyncLimiter limiter) {
        return ask(limiter, attributes());
    }

    /** The same with more attributes. */
    CompletableFuture<?> ask(AsyncLimiter limiter, Attributes attributes);

    Attributes attributes();

    record Acquire(long atMicros, Policy policy, Attributes attributes, long permits, Object expected) implements Call {
        @Override
        public String question() {
            return "acquire " + permits + " for " + attributes;
        }

        @Override
        public CompletableFuture<?> ask(AsyncLimiter limiter, Attributes attributes) {
            return limiter.tryAcquire(PermitRequest.of(attributes).withPermits(permits))
                    .toCompletableFuture();
        }
    }

    /** Under a request id; one that was used for something else ends in the name of an exception. */
    record Once(long atMicros, Policy policy, Attributes attributes, long permits, RequestId id, Object expected)
            implements Call {
        @Override
        public String question() {
            return "acquire " + permits + " for " + attributes + " once, as " + id.value();
        }

        @Override
        public CompletableFuture<?> ask(AsyncLimiter limiter, Attributes attributes) {
            return limiter.tryAcquire(
                            PermitRequest.of(attributes).withPermits(permits).withId(id))
                    .<Object>handle((decision, problem) ->
                            problem == null ? decision : problem.getClass().getSimpleName())
                    .toCompletableFuture();
        }
    }

    record Peek(long atMicros, Policy policy, Attributes attributes, long permits, Object expected) implements Call {
        @Override
        public String question() {
            return "peek " + permits + " for " + attributes;
        }

        @Override
        public CompletableFuture<?> ask(AsyncLimiter limiter, Attributes attributes) {
            return limiter.peek(PermitRequest.of(attributes).withPermits(permits))
                    .toCompletableFuture();
        }
    }

    record Reset(long atMicros, Policy policy, String rule, Attributes attributes, Object expected) implements Call {
        @Override
        public String question() {
            return "reset " + rule + " for " + attributes;
        }

        @Override
        public CompletableFuture<?> ask(AsyncLimiter limiter, Attributes attributes) {
            return limiter.resetRule(rule, attributes).toCompletableFuture();
        }
    }

    /** Takes a decision back. */
    record Refund(long atMicros, Policy policy, Attributes attributes, Decision decision, Object expected)
            implements Call {
        @Override
        public String question() {
            return "refund for " + attributes + " of " + decision;
        }

        @Override
        public CompletableFuture<?> ask(AsyncLimiter limiter, Attributes attributes) {
            return limiter.refund(attributes, decision).toCompletableFuture();
        }
    }

    /** Takes the oldest permits back. */
    record RefundOldest(long atMicros, Policy policy, Attributes attributes, long permits, Object expected)
            implements Call {
        @Override
        public String question() {
            return "refund " + permits + " for " + attributes;
        }

        @Override
        public CompletableFuture<?> ask(AsyncLimiter limiter, Attributes attributes) {
            return limiter.refundOldest(PermitRequest.of(attributes).withPermits(permits))
                    .toCompletableFuture();
        }
    }
}
