package io.headgate.redis.limits.internal.calls;

import io.headgate.limits.Decision;
import io.headgate.redis.internal.script.ScriptExecutor;
import io.headgate.redis.limits.internal.planner.CombinedPlanner;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Sends the requests of an engine to several policies. One call decides a request under all rules, unless the rules {@linkplain
 * CombinedPlanner#needsSeparateCalls need separate calls}. If the budget of a request is shorter than the engine's timeout, the request
 * ends when its budget is used up. Safe for use by any number of threads.
 */
public final class CombinedCalls implements RequestDeadlines.Source {

    private final ScriptExecutor executor;
    private final MultiSlotCalls multiSlot;
    private final RequestDeadlines deadlines;
    private final Duration timeout;
    private final Set<PendingCombinedRequest> sent = ConcurrentHashMap.newKeySet();

    /**
     * Creates a sender without requests in flight.
     *
     * @param multiSlot sends the calls of requests whose rules need separate calls
     * @param timeout the engine's timeout, after which every call fails
     */
    public CombinedCalls(
            ScriptExecutor executor, MultiSlotCalls multiSlot, RequestDeadlines deadlines, Duration timeout) {
        this.executor = executor;
        this.multiSlot = multiSlot;
        this.deadlines = deadlines;
        this.timeout = timeout;
    }

    /** Sends a request immediately, without a batch. */
    public void send(PendingCombinedRequest pending) {
        CombinedPlanner planner = pending.planner();
        CompletableFuture<List<Decision>> decisions = planner.needsSeparateCalls(pending.parts())
                ? multiSlot.acquire(planner, pending.parts())
                : executor.execute(planner.acquire(pending.parts()));
        decisions.whenComplete(pending::finish);
        if (pending.budget().endsBefore(timeout) && !pending.isDone()) {
            sent.add(pending);
            pending.whenComplete((decision, failure) -> sent.remove(pending));
            deadlines.watch(this);
        }
    }

    @Override
    public void expireOverdue(long nowNanos, long nextSweepNanos) {
        sent.removeIf(pending -> {
            RequestDeadlines.Budget budget = pending.budget();
            boolean isExpired = budget.isExpired(pending.parts().get(0), nowNanos, nextSweepNanos);
            if (isExpired) {
                deadlines.run(() -> pending.fail(budget.problem(), true));
            }
            return isExpired;
        });
    }

    @Override
    public boolean isIdle() {
        return sent.isEmpty();
    }
}
