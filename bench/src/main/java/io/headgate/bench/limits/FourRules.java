package io.headgate.bench.limits;

import io.headgate.bench.peers.Subject;
import io.headgate.bench.peers.Subject.Gate;
import io.headgate.bench.peers.Subject.Quota;
import io.headgate.bench.run.RedisAccess;
import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Limit;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Four typical rules of an API in one policy, which one call decides. */
final class FourRules implements Subject {

    /** Enough permits for all requests to a shared rule. */
    private static final long PLENTY = 1_000_000_000;

    private static final int ENDPOINTS = 20;

    @Override
    public String name() {
        return Subjects.FOUR_RULES;
    }

    static List<Rule> rules(Quota quota) {
        return List.of(
                Rule.of("everybody", Limit.fixedWindow(PLENTY, quota.window())),
                Rule.of("per-endpoint", Limit.tokenBucket(PLENTY, PLENTY, quota.window()), Attributes.ENDPOINT),
                Rule.of("per-ip", Limit.slidingWindow(quota.permits(), quota.window()), Attributes.IP),
                Rule.of("per-user", Limit.slidingWindow(quota.permits(), quota.window()), Attributes.USER));
    }

    /** The attributes of a request: each user has its own address, and all share twenty endpoints. */
    static Attributes request(String user) {
        return Attributes.of(Attributes.USER, user)
                .with(Attributes.IP, user)
                .with(Attributes.ENDPOINT, "endpoint" + Math.floorMod(user.hashCode(), ENDPOINTS));
    }

    @Override
    public Gate open(RedisAccess access, Quota quota, List<String> keys) {
        Policy.Builder policy = Policy.named("together");
        rules(quota).forEach(policy::rule);
        HeadgateRedis redis = HeadgateRedis.over(access);
        AsyncLimiter limiter = redis.limiter(policy.build());
        return redis.gate(user -> HeadgateRedis.allowed(limiter.tryAcquire(PermitRequest.of(request(user)))));
    }

    /** The rules of {@link FourRules} in four policies, which one call after the other decides, until one denies. */
    static final class FourCalls implements Subject {

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
            return redis.gate(user -> decideFrom(0, limiters, FourRules.request(user)));
        }

        private static CompletionStage<Boolean> decideFrom(int at, List<AsyncLimiter> limiters, Attributes request) {
            if (at == limiters.size()) {
                return CompletableFuture.completedFuture(true);
            }
            return HeadgateRedis.allowed(limiters.get(at).tryAcquire(PermitRequest.of(request)))
                    .thenCompose(allowed ->
                            allowed ? decideFrom(at + 1, limiters, request) : CompletableFuture.completedFuture(false));
        }
    }
}
