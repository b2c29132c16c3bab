package io.headgate.redis.limits;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Policy;
import io.headgate.limits.RequestId;
import io.headgate.redis.internal.Awaiting;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The calls that wait: those that don't, and a bounded wait. */
record RedisLimiter(RedisAsyncLimiter async, Awaiting awaiting) implements Limiter {

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

    /** An answer, or what is answered to who does not wait for it any more. */
    private Decision await(Attributes attributes, long permits, Supplier<CompletionStage<Decision>> asking) {
        AtomicReference<@Nullable CompletionStage<Decision>> asked = new AtomicReference<>();
        try {
            return awaiting.await("acquire", () -> {
                CompletionStage<Decision> answer = asking.get();
                asked.set(answer);
                return answer;
            });
        } catch (LimiterException failure) {
            return async.instead(asked.get(), attributes, permits, failure);
        }
    }

    @Override
    public Decision acquire(Attributes attributes, long permits, Duration maxWait) throws InterruptedException {
        return async.await(attributes, permits, maxWait);
    }

    @Override
    public Decision peek(Attributes attributes, long permits) {
        return awaiting.await("peek", () -> async.peek(attributes, permits));
    }

    @Override
    public long refund(Attributes attributes, Decision decision) {
        return awaiting.await("refund", () -> async.refund(attributes, decision));
    }

    @Override
    public long refund(Attributes attributes, long permits) {
        return awaiting.await("refund", () -> async.refund(attributes, permits));
    }

    @Override
    public boolean reset(String rule, Attributes attributes) {
        return awaiting.await("reset", () -> async.reset(rule, attributes));
    }
}
