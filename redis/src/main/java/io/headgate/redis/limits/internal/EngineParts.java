package io.headgate.redis.limits.internal;

import io.headgate.limits.Fallback;
import io.headgate.limits.Policy;
import io.headgate.limits.internal.EngineState;
import io.headgate.limits.internal.LimitListeners;
import io.headgate.limits.internal.bans.UncountedDecisions;
import io.headgate.redis.internal.connection.Failures;
import io.headgate.redis.limits.internal.bans.RedisBans;
import io.headgate.redis.limits.internal.calls.Coalescer;
import io.headgate.redis.limits.internal.calls.PolicyCalls;
import io.headgate.redis.limits.internal.calls.RequestDeadlines;
import io.headgate.redis.limits.internal.denials.DenialCache;
import io.headgate.redis.limits.internal.denials.InvalidationBus;
import io.headgate.redis.limits.internal.denials.RedisPauses;
import io.headgate.redis.limits.internal.fallback.Fallbacks;
import io.headgate.redis.limits.internal.fallback.PolicyFallback;
import io.headgate.redis.limits.internal.leases.PermitLeases;
import io.headgate.redis.limits.internal.planner.PolicyPlanner;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * The parts of an engine that its limiters share.
 *
 * @param state whether the engine is open
 * @param planners creates the planner of a version of a policy
 * @param coalescers creates the coalescer of a limiter whose requests have the given budget; empty if batching is off
 * @param pauses the pauses in Redis
 * @param bans the bans and exemptions in Redis; empty if the engine does not apply them
 * @param uncounted the decisions by bans, pauses and exemptions
 * @param defaultFallback the fallback of policies that have none of their own
 * @param failures receives the keys of requests that failed because of a foreign value
 */
public record EngineParts(
        EngineState state,
        Function<Policy, PolicyPlanner> planners,
        PolicyCalls calls,
        DenialCache denials,
        Function<RequestDeadlines.Budget, Optional<Coalescer>> coalescers,
        RequestDeadlines deadlines,
        PermitLeases leases,
        InvalidationBus invalidations,
        RedisPauses pauses,
        Optional<RedisBans> bans,
        UncountedDecisions uncounted,
        LimitListeners listeners,
        Fallbacks fallbacks,
        Fallback defaultFallback,
        Duration timeout,
        Failures failures) {

    /** Returns the parts of limiters whose keys are others, and whose decisions no listener receives. */
    public EngineParts withShadowKeys(Function<Policy, PolicyPlanner> others) {
        return new EngineParts(
                state,
                others,
                calls,
                denials,
                coalescers,
                deadlines,
                leases,
                invalidations,
                pauses,
                bans,
                uncounted,
                new LimitListeners(List.of()),
                fallbacks,
                defaultFallback,
                timeout,
                failures);
    }

    PolicyPlanner planner(Policy policy) {
        return planners.apply(policy);
    }

    Optional<Coalescer> coalescer(RequestDeadlines.Budget budget) {
        return coalescers.apply(budget);
    }

    /** Creates the fallback of a version of a policy; see {@link PolicyFallback}. */
    PolicyFallback fallback(PolicyPlanner planner, AtomicBoolean isReplaced) {
        Fallback fallback = planner.policy().fallback().orElse(defaultFallback);
        if (fallback.mode() == Fallback.Mode.LOCAL) {
            fallbacks.registerInstance();
        }
        return new PolicyFallback(planner, fallback, timeout, fallbacks, isReplaced);
    }
}
