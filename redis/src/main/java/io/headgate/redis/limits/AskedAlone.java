package io.headgate.redis.limits;

import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Requests of a limiter that go in calls of their own, which end after the engine's time-out: within a budget that is shorter, these do. */
final class AskedAlone implements Waits {

    private final Deadlines deadlines;
    private final Budget budget;
    private final Duration timeout;
    private final ConcurrentLinkedQueue<Ask> asked = new ConcurrentLinkedQueue<>();

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
    void watch(Ask ask) {
        if (budget.endsBefore(timeout) && !ask.isDone()) {
            asked.add(ask);
            deadlines.watch(this);
        }
    }

    @Override
    public void endLate(long nowNanos, long nextLookNanos) {
        for (Ask ask = asked.peek(); ask != null; ask = asked.peek()) {
            boolean isUp = budget.isUp(ask, nowNanos, nextLookNanos);
            if (!ask.isDone() && !isUp) {
                return;
            }
            asked.remove(ask);
            if (isUp) {
                end(ask);
            }
        }
    }

    private void end(Ask late) {
        deadlines.tell(() -> late.fail(budget.problem(), true));
    }

    @Override
    public boolean isIdle() {
        return asked.isEmpty();
    }
}
