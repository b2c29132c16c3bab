package io.headgate.redis.limits;

import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Requests of a limiter that go in calls of their own, which end after the engine's time-out: within a budget that is shorter, these do. */
final class AskedAlone implements Waits {

    private final Deadlines deadlines;
    private final Budget budget;
    private final Duration timeout;
    private final ConcurrentLinkedQueue<PendingRequest> asked = new ConcurrentLinkedQueue<>();

    /**
     * None yet.
     *
     * @param timeout that of the engine, by which they end in any case
     */
    AskedAlone(Deadlines deadlines, Budget budget, Duration timeout) {
        this.deadlines = deadlines;
        this.budget = budget;
        this.timeout = timeout;
    }

    /** Has it end in time. */
    void watch(PendingRequest pending) {
        if (budget.endsBefore(timeout) && !pending.isDone()) {
            asked.add(pending);
            deadlines.watch(this);
        }
    }

    @Override
    public void endLate(long nowNanos, long nextLookNanos) {
        for (PendingRequest pending = asked.peek(); pending != null; pending = asked.peek()) {
            boolean isUp = budget.isUp(pending, nowNanos, nextLookNanos);
            if (!pending.isDone() && !isUp) {
                return;
            }
            asked.remove(pending);
            if (isUp) {
                end(pending);
            }
        }
    }

    private void end(PendingRequest late) {
        deadlines.tell(() -> late.fail(budget.problem(), true));
    }

    @Override
    public boolean isIdle() {
        return asked.isEmpty();
    }
}
