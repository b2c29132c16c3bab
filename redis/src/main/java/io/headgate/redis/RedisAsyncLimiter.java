package io.headgate.redis;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Policy;
import io.headgate.limits.Request;
import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.DecisionListeners;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Asks one policy on Redis: plans the call, sends it, and bounds the wait. */
final class RedisAsyncLimiter implements AsyncLimiter {

    private final Policy policy;
    private final PolicyPlanner planner;
    private final ScriptExecutor executor;
    private final Duration timeout;
    private final DecisionListeners listeners;

    RedisAsyncLimiter(
            Policy policy,
            PolicyPlanner planner,
            ScriptExecutor executor,
            Duration timeout,
            DecisionListeners listeners) {
        this.policy = policy;
        this.planner = planner;
        this.executor = executor;
        this.timeout = timeout;
        this.listeners = listeners;
    }

    @Override
    public Policy policy() {
        return policy;
    }

    @Override
    public CompletionStage<Decision> tryAcquire(Attributes attributes, long permits) {
        Bounds.requestedPermits(permits);
        CompletableFuture<Decision> decision = send(planner.acquire(attributes, permits));
        if (!listeners.isEmpty()) {
            Request request = new Request(policy, attributes, permits);
            return decision.whenComplete((answer, problem) -> tell(request, answer, problem));
        }
        return decision;
    }

    @Override
    public CompletionStage<Decision> peek(Attributes attributes, long permits) {
        Bounds.requestedPermits(permits);
        return send(planner.peek(attributes, permits));
    }

    @Override
    public CompletionStage<Boolean> reset(String rule, Attributes attributes) {
        return send(planner.reset(rule, attributes));
    }

    /**
     * Sends a call and gives up after the time-out, in which case the call is taken back if it was not yet sent.
     */
    private <T> CompletableFuture<T> send(ScriptCall<T> call) {
        CompletableFuture<T> sent = executor.execute(call);
        if (sent.isDone()) {
            return sent;
        }
        CompletableFuture<T> answer = sent.copy().orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS);
        return answer.exceptionallyCompose(problem -> {
            Throwable cause = causeOf(problem);
            if (cause instanceof TimeoutException) {
                sent.cancel(true);
                return CompletableFuture.failedFuture(timedOut(call));
            }
            return CompletableFuture.failedFuture(cause);
        });
    }

    private LimiterException timedOut(ScriptCall<?> call) {
        return new LimiterException(
                call.script().name(),
                call.firstKey(),
                "no answer within " + timeout.toMillis() + " ms; whether it was charged is not known",
                null);
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
