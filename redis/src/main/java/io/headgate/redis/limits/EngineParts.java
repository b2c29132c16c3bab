package io.headgate.redis.limits;

import io.headgate.limits.Fallback;
import io.headgate.limits.Policy;
import io.headgate.limits.internal.DecisionListeners;
import io.headgate.limits.internal.EngineState;
import io.headgate.redis.internal.Failures;
import io.headgate.redis.internal.ScriptExecutor;
import java.time.Duration;
import java.util.function.Function;

/**
 * What the limiters of an engine have in common.
 *
 * @param state whether the engine is open
 * @param planners plans a version of a policy
 * @param waysToRedis makes the way of a limiter's requests, which may take as long as that says
 * @param usual what is answered while Redis does not answer, unless a policy says it
 * @param failures receives the keys of requests that failed because of a foreign value
 */
record EngineParts(
        EngineState state,
        Function<Policy, PolicyPlanner> planners,
        ScriptExecutor executor,
        PolicyCalls calls,
        DenialCache denials,
        Function<Budget, Requests> waysToRedis,
        OnceRequests once,
        Deadlines deadlines,
        PermitLeases leases,
        InvalidationBus invalidations,
        DecisionListeners listeners,
        Fallbacks fallbacks,
        Fallback usual,
        Duration timeout,
        Failures failures) {

    PolicyPlanner planner(Policy policy) {
        return planners.apply(policy);
    }

    Requests requests(Budget budget) {
        return waysToRedis.apply(budget);
    }

    PolicyFallback fallback(PolicyPlanner planner) {
        Fallback fallback = planner.policy().fallback().orElse(usual);
        if (fallback.mode() == Fallback.Mode.LOCAL) {
            fallbacks.begin();
        }
        return new PolicyFallback(planner, fallback, timeout, fallbacks);
    }
}
