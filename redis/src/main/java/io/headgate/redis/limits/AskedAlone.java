package io.headgate.redis.limits;

import java.util.concurrent.ConcurrentLinkedQueue;

/** Requests of a limiter that go in calls of their own, which end after the engine's time-out: within a budget that is shorter, these do. */
final class AskedAlone implements Waits {

    private final Deadlines deadlines;
    private final Budget budget;
    private final ConcurrentLinkedQueue<Ask> asked = new ConcurrentLinkedQueue<>();

    AskedAlone(Deadlines deadlines, Budget budget) {
        this.deadlines = deadlines;
        this.budget = budget;
    }

    /** Has it end in time. */
    void watch(Ask ask) {
        if (!ask.isDone()) {
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
