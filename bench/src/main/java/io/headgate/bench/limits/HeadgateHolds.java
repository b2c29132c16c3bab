package io.headgate.bench.limits;

import io.headgate.bench.peers.Subject;
import io.headgate.bench.peers.Subject.Gate;
import io.headgate.bench.peers.Subject.Quota;
import io.headgate.bench.run.RedisAccess;
import io.headgate.limits.AsyncInFlightLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Hold;
import io.headgate.limits.InFlightPolicy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A hold of Headgate, acquired and released through the public API. */
final class HeadgateHolds implements Subject {

    private static final CompletionStage<Boolean> DENIED = CompletableFuture.completedFuture(false);

    @Override
    public String name() {
        return Subjects.IN_FLIGHT;
    }

    @Override
    public Gate open(RedisAccess access, Quota quota, List<String> keys) {
        HeadgateRedis redis = HeadgateRedis.over(access);
        AsyncInFlightLimiter limiter = redis.inFlight(InFlightPolicy.named("p")
                .rule("r", quota.permits(), Attributes.KEY)
                .build());
        return redis.gate(key -> limiter.tryAcquire(key).thenCompose(HeadgateHolds::release));
    }

    private static CompletionStage<Boolean> release(Hold hold) {
        return hold.allowed() ? hold.releaseAsync() : DENIED;
    }
}
