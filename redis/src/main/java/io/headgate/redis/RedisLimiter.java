package io.headgate.redis;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Policy;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/** The calls that wait: those that don't, and a wait that ends because theirs does. */
record RedisLimiter(AsyncLimiter async) implements Limiter {

    @Override
    public Policy policy() {
        return async.policy();
    }

    @Override
    public Decision tryAcquire(Attributes attributes, long permits) {
        return await("acquire", async.tryAcquire(attributes, permits));
    }

    @Override
    public Decision peek(Attributes attributes, long permits) {
        return await("peek", async.peek(attributes, permits));
    }

    @Override
    public boolean reset(String rule, Attributes attributes) {
        return await("reset", async.reset(rule, attributes));
    }

    private <T> T await(String operation, CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof LimiterException failure) {
                failure.addSuppressed(new CallerStack());
                throw failure;
            }
            throw new LimiterException(operation, policy().name(), String.valueOf(e.getCause()), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LimiterException(
                    operation, policy().name(), "interrupted; whether it was charged is not known", e);
        }
    }

    /** Shows where the call was made, beside the stack of the thread that learned of the failure. */
    private static final class CallerStack extends RuntimeException {

        private static final long serialVersionUID = 1;

        CallerStack() {
            super("called from here");
        }
    }
}
