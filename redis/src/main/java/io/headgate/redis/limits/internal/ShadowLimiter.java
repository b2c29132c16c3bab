package io.headgate.redis.limits.internal;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.RequestId;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A limiter that decides copies of real requests, by keys of its own and within a {@linkplain CopyBound bound}. */
public final class ShadowLimiter extends RedisAsyncLimiter {

    private final CopyBound bound;

    /** Creates a limiter whose parts have the keys of a shadow. */
    public ShadowLimiter(Policy policy, EngineParts shadow, CopyBound bound) {
        super(policy, shadow);
        this.bound = bound;
    }

    @Override
    CompletionStage<Decision> tryAcquire(Attributes attributes, long permits, @Nullable RequestId id) {
        return bound.send(() -> super.tryAcquire(attributes, permits, id));
    }

    @Override
    public CompletionStage<Decision> peek(PermitRequest request) {
        return bound.send(() -> super.peek(request));
    }
}
