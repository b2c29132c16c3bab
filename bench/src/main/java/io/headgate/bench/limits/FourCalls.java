package io.headgate.bench.limits;

import io.headgate.bench.peers.Subject;
import io.headgate.bench.peers.Subject.Gate;
import io.headgate.bench.peers.Subject.Quota;
import io.headgate.bench.run.RedisAccess;
import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The rules of {@link FourRules} in a policy each, asked one after the other while they allow. */
final class FourCalls implements Subject {

    @Override
    public String name() {
        return Subjects.FOUR_CALLS;
    }

    @Override
    public Gate open(RedisAccess access, Quota quota, List<String> keys) {
        HeadgateRedis redis = HeadgateRedis.over(access);
        List<AsyncLimiter> limiters = FourRules.rules(quota).stream()
                .map(rule -> redis.limiter(Policy.named("apart").rule(rule).build()))
                .toList();
        return redis.gate(user -> askFrom(0, limiters, FourRules.request(user)));
    }

    private static CompletionStage<Boolean> askFrom(int at, List<AsyncLimiter> limiters, Attributes request) {
        if (at == limiters.size()) {
            return CompletableFuture.completedFuture(true);
        }
        return HeadgateRedis.allowed(limiters.get(at).tryAcquire(PermitRequest.of(request)))
                .thenCompose(allowed ->
                        allowed ? askFrom(at + 1, limiters, request) : CompletableFuture.completedFuture(false));
    }
}
