package io.headgate.redis.limits.internal;

import io.headgate.limits.Attributes;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Policy;
import io.headgate.limits.combined.CombinedDecision;
import io.headgate.limits.combined.CombinedRequest;
import io.headgate.limits.internal.CombinedRequests;
import io.headgate.limits.internal.overrides.PolicyVariants;
import io.headgate.redis.internal.connection.BlockingCalls;
import io.headgate.redis.limits.internal.calls.CombinedCalls;
import io.headgate.redis.limits.internal.calls.PendingCombinedRequest;
import io.headgate.redis.limits.internal.planner.AcquireRequest;
import io.headgate.redis.limits.internal.planner.Scripts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides requests to several policies of one engine on Redis: by a cached denial, by calls to Redis, or by the fallbacks. The first
 * request to a combination of policies prepares its {@link Combination}, which later requests reuse. Safe for use by any number of threads.
 */
public final class RedisCombinedLimiter {

    /** The maximum number of prepared combinations. When it is reached, all are dropped, and those in use are prepared again. */
    private static final int MAX_COMBINATIONS = 256;

    private final EngineParts engine;
    private final Scripts scripts;
    private final CombinedCalls calls;
    private final BlockingCalls blocking;

    /**
     * The prepared combinations by their versions of policies, or variants with the limits of overrides, in the order of a request.
     * Superseded ones are dropped.
     */
    private final Map<List<PolicyVersion>, Combination> combinations = new ConcurrentHashMap<>();

    public RedisCombinedLimiter(EngineParts engine, Scripts scripts, CombinedCalls calls, BlockingCalls blocking) {
        this.engine = engine;
        this.scripts = scripts;
        this.calls = calls;
        this.blocking = blocking;
    }

    /** A request with its combination of policies. */
    private record Combined(
            Combination combination,
            List<RedisAsyncLimiter> limiters,
            List<Attributes> attributes,
            List<Long> permits) {

        CombinedDecision decideByFallback() {
            return combination.decideByFallback(attributes, permits);
        }
    }

    /** Sends a request, unless a cached denial or the fallbacks of the policies decide it. */
    public CompletableFuture<CombinedDecision> tryAcquire(CombinedRequest request) {
        return engine.state().isClosed() ? engine.state().failed() : send(combined(request));
    }

    /**
     * Makes the call of {@link #tryAcquire} and waits for the decision. If the wait fails, the fallbacks decide, or this method fails if a
     * policy has none.
     */
    public CombinedDecision await(CombinedRequest request) {
        engine.state().requireOpen();
        Combined combined = combined(request);
        Awaited awaited = new Awaited();
        try {
            return blocking.await("acquire", () -> awaited.keep(send(combined)));
        } catch (LimiterException failure) {
            if (engine.state().isClosed()) {
                throw engine.state().problem(failure);
            }
            if (!combined.combination().allHaveFallback()) {
                throw failure;
            }
            return awaited.pending == null ? combined.decideByFallback() : awaited.pending.abandon(failure);
        }
    }

    /** The request that a blocking caller waits for; null if it was decided without a call. */
    private static final class Awaited {

        private @Nullable PendingCombinedRequest pending;

        CompletableFuture<CombinedDecision> keep(CompletableFuture<CombinedDecision> sent) {
            pending = sent instanceof PendingCombinedRequest waiting ? waiting : null;
            return sent;
        }
    }

    private CompletableFuture<CombinedDecision> send(Combined combined) {
        Combination combination = combined.combination();
        CombinedDecision uncounted = combination.uncounted(combined.attributes(), combined.permits());
        if (uncounted != null) {
            return CompletableFuture.completedFuture(uncounted);
        }
        long nowMicros = combination.localMicros();
        CombinedDecision cached = combination.cachedDenial(combined.attributes(), combined.permits(), nowMicros);
        if (cached != null) {
            return CompletableFuture.completedFuture(cached);
        }
        if (combination.isFallbackActive()) {
            return CompletableFuture.completedFuture(combined.decideByFallback());
        }
        List<AcquireRequest> parts = combination.parts(combined.attributes(), combined.permits(), nowMicros);
        // Earlier requests that wait for a batch must be decided first.
        combined.limiters().forEach(RedisAsyncLimiter::flush);
        PendingCombinedRequest pending =
                new PendingCombinedRequest(combination.planner(), parts, combination.budget(), combination);
        calls.send(pending);
        return pending;
    }

    private Combined combined(CombinedRequest request) {
        List<RedisAsyncLimiter> limiters = new ArrayList<>();
        List<PolicyVariants<PolicyVersion>> versions = new ArrayList<>();
        for (CombinedRequest.Part part : request.parts()) {
            if (!(part.limiter() instanceof RedisLimiter limiter)
                    || !limiter.async().isOf(engine)) {
                throw CombinedRequests.notOfEngine(part.limiter());
            }
            limiters.add(limiter.async());
            versions.add(limiter.async().variants());
        }
        List<Policy> policies = versions.stream().map(PolicyVariants::policy).toList();
        List<Attributes> attributes = CombinedRequests.attributes(request, policies);
        List<PolicyVersion> variants = new ArrayList<>();
        for (int i = 0; i < versions.size(); i++) {
            boolean isExempt = engine.uncounted().isExempt(policies.get(i), attributes.get(i));
            variants.add(
                    isExempt
                            ? versions.get(i).exempt(attributes.get(i))
                            : versions.get(i).of(attributes.get(i)));
        }
        List<Long> permits =
                request.parts().stream().map(part -> part.request().permits()).toList();
        return new Combined(combination(variants), limiters, attributes, permits);
    }

    private Combination combination(List<PolicyVersion> versions) {
        Combination known = combinations.get(versions);
        if (known != null) {
            return known;
        }
        // The first request after an update has no prepared combination, so superseded ones are dropped here.
        combinations.values().removeIf(Combination::isSuperseded);
        if (combinations.size() >= MAX_COMBINATIONS) {
            combinations.clear();
        }
        Combination prepared = new Combination(versions, engine, scripts);
        Combination meanwhile = combinations.putIfAbsent(List.copyOf(versions), prepared);
        if (prepared.isSuperseded()) {
            // A limiter was updated after this request had read its version.
            combinations.remove(versions);
        }
        return meanwhile == null ? prepared : meanwhile;
    }
}
