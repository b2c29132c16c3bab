package io.headgate.redis.limits.internal;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.RequestId;
import io.headgate.redis.internal.connection.BlockingCalls;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The blocking limiter: makes the calls of the asynchronous limiter, and waits for their results for a bounded time. */
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
    public Decision tryAcquire(String id) {
        return tryAcquire(policy().attributesOf(id), 1, null);
    }

    @Override
    public Decision tryAcquire(PermitRequest request) {
        Attributes attributes = request.attributesFor(policy());
        return tryAcquire(attributes, request.permits(), request.requestId().orElse(null));
    }

    /** Makes the asynchronous request and waits for its decision. If the wait fails, the fallback decides, if there is one. */
    private Decision tryAcquire(Attributes attributes, long permits, @Nullable RequestId id) {
        AtomicReference<@Nullable CompletionStage<Decision>> awaited = new AtomicReference<>();
        try {
            return blocking.await("acquire", () -> {
                CompletionStage<Decision> answer = async.tryAcquire(attributes, permits, id);
                awaited.set(answer);
                return answer;
            });
        } catch (LimiterException failure) {
            return async.decideAfter(failure, awaited.get(), attributes, permits);
        }
    }

    @Override
    public Decision acquire(PermitRequest request, Duration maxWait) throws InterruptedException {
        return async.await(request, maxWait);
    }

    @Override
    public Decision peek(PermitRequest request) {
        return blocking.await("peek", () -> async.peek(request));
    }

    @Override
    public long refund(Attributes attributes, Decision decision) {
        return blocking.await("refund", () -> async.refund(attributes, decision));
    }

    @Override
    public long refundOldest(PermitRequest request) {
        return blocking.await("refund", () -> async.refundOldest(request));
    }

    @Override
    public boolean resetRule(String rule, Attributes attributes) {
        return blocking.await("reset", () -> async.resetRule(rule, attributes));
    }

    @Override
    public Duration pause(Attributes attributes, Duration pause) {
        return blocking.await("pause", () -> async.pause(attributes, pause));
    }

    @Override
    public boolean resume(Attributes attributes) {
        return blocking.await("resume", () -> async.resume(attributes));
    }
}
