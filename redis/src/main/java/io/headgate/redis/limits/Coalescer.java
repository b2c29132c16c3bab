package io.headgate.redis.limits;

import io.headgate.redis.internal.RedisExecutor;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Sends the requests of one limiter. One that comes while few calls are under way goes out at once; those that come
 * meanwhile wait until one of these is answered, and then go together, in one call. So nobody waits for others to come, and
 * a call takes as many as the load brings. They are sent in the order in which they came.
 */
final class Coalescer implements Requests, Waits {

    /** One on its way, and one that Redis is at. */
    private static final int MOST_CALLS = 2;

    private final RedisExecutor executor;
    private final Deadlines deadlines;
    private final Budget budget;
    private final int mostUnderWay;
    private final AtomicInteger underWay;
    private final ConcurrentLinkedQueue<Ask> waiting = new ConcurrentLinkedQueue<>();
    private final Set<Together> calls = ConcurrentHashMap.newKeySet();

    /** Held while requests are taken and sent, which is never waiting for Redis. */
    private final ReentrantLock sending = new ReentrantLock();

    /**
     * Sends over that executor.
     *
     * @param deadlines sees to it that requests end in time
     * @param budget how long they may take
     * @param mostUnderWay how many requests of all limiters of the engine may be under way
     * @param underWay how many are
     */
    Coalescer(RedisExecutor executor, Deadlines deadlines, Budget budget, int mostUnderWay, AtomicInteger underWay) {
        this.executor = executor;
        this.deadlines = deadlines;
        this.budget = budget;
        this.mostUnderWay = mostUnderWay;
        this.underWay = underWay;
    }

    /** Sends it, now or with others. */
    @Override
    public void send(Ask ask) {
        if (underWay.incrementAndGet() > mostUnderWay) {
            underWay.decrementAndGet();
            ask.fail("too many calls are under way: " + mostUnderWay + "; nothing was sent", false);
            return;
        }
        ask.waitIn(this::takenBack);
        waiting.add(ask);
        goOn();
        if (!ask.isDone()) {
            deadlines.watch(this);
        }
    }

    @Override
    public boolean endInTime() {
        return true;
    }

    @Override
    public void flush() {
        // Also when none seems to wait: somebody may hold them, about to send them.
        sendUpTo(Integer.MAX_VALUE);
    }

    private void goOn() {
        // Who is about to send goes on by itself; a call that failed at once is not to go on from within.
        if (calls.size() >= MOST_CALLS || waiting.isEmpty() || sending.isHeldByCurrentThread()) {
            return;
        }
        if (executor.mayOvertake()) {
            executor.threads().execute(this::goOn);
        } else {
            sendUpTo(MOST_CALLS);
        }
    }

    private void sendUpTo(int mostCalls) {
        List<Runnable> tellings = new ArrayList<>(MOST_CALLS);
        sending.lock();
        try {
            while (calls.size() < mostCalls) {
                Together together = next();
                if (together == null) {
                    break;
                }
                calls.add(together);
                tellings.add(together.send(executor, this::sendAlone, () -> ended(together)));
            }
        } finally {
            sending.unlock();
        }
        // Not under the lock, since callers of theirs may go on from there.
        tellings.forEach(Runnable::run);
    }

    /** As many of those that wait as make one call; null when there are none. */
    private @Nullable Together next() {
        Together together = null;
        for (Ask ask = waiting.peek(); ask != null && (together == null || together.takes(ask)); ask = waiting.peek()) {
            if (!waiting.remove(ask) || !ask.send()) {
                // Given up meanwhile.
                continue;
            }
            if (ask.isDone()) {
                underWay.decrementAndGet();
            } else if (together == null) {
                together = new Together(ask);
            } else {
                together.add(ask);
            }
        }
        return together;
    }

    private void ended(Together together) {
        if (!calls.remove(together)) {
            // Told twice, which happens where it is stopped by two at once.
            return;
        }
        underWay.addAndGet(-together.asks().size());
        goOn();
    }

    private void takenBack(Ask ask) {
        waiting.remove(ask);
        underWay.decrementAndGet();
        ask.fail("its caller gave it up; nothing was sent", false);
    }

    /**
     * Sends one alone that was not decided among others. It is under way as before, and its time goes on; it waits for no other
     * call.
     */
    private void sendAlone(Ask ask) {
        if (ask.isDone()) {
            // Nobody waits for it any more, and nothing was charged.
            return;
        }
        Together alone = new Together(ask);
        underWay.incrementAndGet();
        calls.add(alone);
        deadlines.watch(this);
        alone.send(executor, this::sendAlone, () -> ended(alone)).run();
    }

    @Override
    public boolean isIdle() {
        return calls.isEmpty() && waiting.isEmpty();
    }

    @Override
    public void endLate(long nowNanos, long nextLookNanos) {
        for (Iterator<Ask> each = waiting.iterator(); each.hasNext(); ) {
            Ask ask = each.next();
            if (!budget.isUp(ask, nowNanos, nextLookNanos)) {
                break;
            }
            if (ask.giveUp()) {
                each.remove();
                underWay.decrementAndGet();
                deadlines.tell(() -> ask.fail(budget.problem() + "; nothing was sent", false));
            }
        }
        for (Together together : calls) {
            for (Ask ask : together.asks()) {
                if (!ask.isDone() && budget.isUp(ask, nowNanos, nextLookNanos)) {
                    deadlines.tell(() -> ask.fail(budget.problem(), true));
                }
            }
        }
    }
}
