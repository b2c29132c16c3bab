package io.headgate.redis.limits.internal.calls;

import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Sends the requests of one limiter that are not batched: requests with an id, requests whose rules have keys in several Cluster
 * slots, and all requests if batching is off. A call fails after the engine's timeout. If the limiter's budget is shorter, the request
 * ends when the budget is used up: the limiter's fallback decides it, or it fails.
 */
public final class UnbatchedRequests implements RequestDeadlines.Source {

    private final PolicyCalls calls;
    private final RequestDeadlines deadlines;
    private final RequestDeadlines.Budget budget;
    private final Duration timeout;
    private final ConcurrentLinkedQueue<PendingRequest> sent = new ConcurrentLinkedQueue<>();

    /**
     * Creates a sender without requests in flight.
     *
     * @param timeout the engine's timeout, after which every call fails
     */
    public UnbatchedRequests(
            PolicyCalls calls, RequestDeadlines deadlines, RequestDeadlines.Budget budget, Duration timeout) {
        this.calls = calls;
        this.deadlines = deadlines;
        this.budget = budget;
        this.timeout = timeout;
    }

    /** Sends a request immediately, without a batch. */
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
