package io.headgate.redis;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Policy;
import io.headgate.limits.Request;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.Charge;
import io.headgate.limits.internal.DecisionListeners;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Asks one policy on Redis: plans the call, and sends it. */
final class RedisAsyncLimiter implements AsyncLimiter {

    private final Policy policy;
    private final PolicyPlanner planner;
    private final ScriptExecutor executor;
    private final DecisionListeners listeners;

    RedisAsyncLimiter(Policy policy, PolicyPlanner planner, ScriptExecutor executor, DecisionListeners listeners) {
        this.policy = policy;
        this.planner = planner;
        this.executor = executor;
        this.listeners = listeners;
    }

    @Override
    public Policy policy() {
        return policy;
    }

    @Override
    public CompletionStage<Decision> tryAcquire(Attributes attributes, long permits) {
        Bounds.requestedPermits(permits);
        CompletableFuture<Decision> decision = executor.execute(planner.acquire(attributes, permits));
        if (!listeners.isEmpty()) {
            Request request = new Request(policy, attributes, permits);
            return decision.whenComplete((answer, problem) -> tell(request, answer, problem));
        }
        return decision;
    }

    @Override
    public CompletionStage<Decision> peek(Attributes attributes, long permits) {
        Bounds.requestedPermits(permits);
        return executor.execute(planner.peek(attributes, permits));
    }

    @Override
    public CompletionStage<Long> refund(Attributes attributes, Decision decision) {
        return refund(attributes, Charge.of(policy, decision));
    }

    @Override
    public CompletionStage<Long> refund(Attributes attributes, long permits) {
        Bounds.requestedPermits(permits);
        return refund(attributes, Charge.ofOldest(policy, permits));
    }

    private CompletionStage<Long> refund(Attributes attributes, Map<Rule, Charge> charges) {
        return charges.isEmpty()
                ? CompletableFuture.completedFuture(0L)
                : executor.execute(planner.refund(attributes, charges));
    }

    @Override
    public CompletionStage<Boolean> reset(String rule, Attributes attributes) {
        return executor.execute(planner.reset(rule, attributes));
    }

    private void tell(Request request, @Nullable Decision decision, @Nullable Throwable problem) {
        if (decision != null) {
            listeners.onDecision(request, decision);
        } else if (problem != null && causeOf(problem) instanceof LimiterException failure) {
            listeners.onFailure(request, failure);
        }
    }

    private static Throwable causeOf(Throwable problem) {
        Throwable cause = problem instanceof CompletionException ? problem.getCause() : null;
        return cause == null ? problem : cause;
    }
}
