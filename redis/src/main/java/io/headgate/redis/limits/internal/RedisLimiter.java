package io.headgate.redis.limits.internal;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Policy;
import io.headgate.limits.RequestId;
import io.headgate.redis.internal.connection.BlockingCalls;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The blocking limiter: the calls of the asynchronous one, and a wait that is bounded. */
public record RedisLimiter(RedisAsyncLimiter async, BlockingCalls blocking) implements Limiter {

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
        return await(attributes, permits, () -> async.tryAcquire(attributes, permits));
    }

    @Override
    public Decision tryAcquire(Attributes attributes, long permits, RequestId id) {
        return await(attributes, permits, () -> async.tryAcquire(attributes, permits, id));
    }

    /** The decision of Redis, or the fallback's where the wait ends before that. */
    private Decision await(Attributes attributes, long permits, Supplier<CompletionStage<Decision>> call) {
        AtomicReference<@Nullable CompletionStage<Decision>> awaited = new AtomicReference<>();
        try {
            return blocking.await("acquire", () -> {
                CompletionStage<Decision> answer = call.get();
                awaited.set(answer);
                return answer;
            });
        } catch (LimiterException failure) {
            return async.decideAfter(failure, awaited.get(), attributes, permits);
        }
    }

    @Override
    public Decision acquire(Attributes attributes, long permits, Duration maxWait) throws InterruptedException {
        return async.await(attributes, permits, maxWait);
    }

    @Override
    public Decision peek(Attributes attributes, long permits) {
        return blocking.await("peek", () -> async.peek(attributes, permits));
    }

    @Override
    public long refund(Attributes attributes, Decision decision) {
        return blocking.await("refund", () -> async.refund(attributes, decision));
    }

    @Override
    public long refund(Attributes attributes, long permits) {
        return blocking.await("refund", () -> async.refund(attributes, permits));
    }

    @Override
    public boolean reset(String rule, Attributes attributes) {
        return blocking.await("reset", () -> async.reset(rule, attributes));
    }
}
