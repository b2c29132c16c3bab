package io.headgate.redis.limits.internal.calls;

import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Sends the requests of one limiter that are not batched: requests with an id, those whose rules are decided apart, and all of them
 * where coalescing is off. Their calls end after the engine's timeout; where the budget of the limiter is shorter, requests end by it.
 */
public final class UnbatchedRequests implements RequestDeadlines.Source {

    private final PolicyCalls calls;
    private final RequestDeadlines deadlines;
    private final RequestDeadlines.Budget budget;
    private final Duration timeout;
    private final ConcurrentLinkedQueue<PendingRequest> sent = new ConcurrentLinkedQueue<>();

    /**
     * No requests yet.
     *
     * @param timeout that of the engine, after which calls end in any case
     */
    public UnbatchedRequests(
            PolicyCalls calls, RequestDeadlines deadlines, RequestDeadlines.Budget budget, Duration timeout) {
        this.calls = calls;
        this.deadlines = deadlines;
        this.budget = budget;
        this.timeout = timeout;
    }

    /** Sends a request at once. */
    public void send(PendingRequest pending) {
        calls.send(pending);
        if (budget.endsBefore(timeout) && !pending.isDone()) {
            sent.add(pending);
            deadlines.watch(this);
        }
    }

    @Override
    public void expireOverdue(long nowNanos, long nextSweepNanos) {
        for (PendingRequest pending = sent.peek(); pending != null; pending = sent.peek()) {
            boolean isExpired = budget.isExpired(pending.request(), nowNanos, nextSweepNanos);
            if (!pending.isDone() && !isExpired) {
                return;
            }
            sent.remove(pending);
            if (isExpired) {
                expire(pending);
            }
        }
    }

    private void expire(PendingRequest pending) {
        deadlines.run(() -> pending.fail(budget.problem(), true));
    }

    @Override
    public boolean isIdle() {
        return sent.isEmpty();
    }
}
