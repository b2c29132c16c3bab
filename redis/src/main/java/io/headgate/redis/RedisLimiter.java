package io.headgate.redis;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Policy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The calls that wait: those that don't, and a wait. Theirs ends in time by itself; this one has a bound of its own, for
 * when the threads that would end it are kept busy by somebody else.
 */
record RedisLimiter(RedisAsyncLimiter async, Duration timeout) implements Limiter {

    /** How much later than its call a wait ends. */
    private static final long SLACK_MILLIS = 100;

    @Override
    public Policy policy() {
        return async.policy();
    }

    @Override
    public void update(Policy policy) {
        async.update(policy);
    }

    @Override
    public Decision tryAcquire(Attributes attributes, long permits) {
        return await("acquire", () -> async.tryAcquire(attributes, permits));
    }

    @Override
    public Decision acquire(Attributes attributes, long permits, Duration maxWait) throws InterruptedException {
        return async.await(attributes, permits, maxWait);
    }

    @Override
    public Decision peek(Attributes attributes, long permits) {
        return await("peek", () -> async.peek(attributes, permits));
    }

    @Override
    public long refund(Attributes attributes, Decision decision) {
        return await("refund", () -> async.refund(attributes, decision));
    }

    @Override
    public long refund(Attributes attributes, long permits) {
        return await("refund", () -> async.refund(attributes, permits));
    }

    @Override
    public boolean reset(String rule, Attributes attributes) {
        return await("reset", () -> async.reset(rule, attributes));
    }

    private <T> T await(String operation, Supplier<CompletionStage<T>> call) {
        if (Thread.currentThread().isInterrupted()) {
            throw failure(operation, "interrupted; nothing was sent", false, null);
        }
        CompletableFuture<T> answer = call.get().toCompletableFuture();
        try {
            return answer.get(timeout.toMillis() + SLACK_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof LimiterException failure) {
                failure.addSuppressed(new CallerStack());
                throw failure;
            }
            throw failure(operation, String.valueOf(e.getCause()), true, e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure(operation, "interrupted", true, e);
        } catch (TimeoutException e) {
            throw failure(operation, "no answer within " + timeout.toMillis() + " ms", true, e);
        }
    }

    private LimiterException failure(String operation, String problem, boolean mayBeDone, @Nullable Throwable cause) {
        return RedisProblems.failure(operation, "of policy " + policy().name(), problem, mayBeDone, cause);
    }

    /** Shows where the call was made, beside the stack of the thread that learned of the failure. */
    private static final class CallerStack extends RuntimeException {

        private static final long serialVersionUID = 1;

        CallerStack() {
            super("called from here");
        }
    }
}
