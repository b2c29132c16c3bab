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
 * meanwhile wait until one of these is answered, and then go batch, in one call. So nobody waits for others to come, and
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
    private final ConcurrentLinkedQueue<PendingRequest> waiting = new ConcurrentLinkedQueue<>();
    private final Set<RequestBatch> calls = ConcurrentHashMap.newKeySet();

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
    public void send(PendingRequest pending) {
        if (underWay.incrementAndGet() > mostUnderWay) {
            underWay.decrementAndGet();
            pending.fail("too many calls are under way: " + mostUnderWay + "; nothing was sent", false);
            return;
        }
        pending.awaitSending(this::takenBack);
        waiting.add(pending);
        goOn();
        if (!pending.isDone()) {
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
                RequestBatch batch = next();
                if (batch == null) {
                    break;
                }
                calls.add(batch);
                tellings.add(batch.send(executor, this::sendAlone, () -> ended(batch)));
            }
        } finally {
            sending.unlock();
        }
        // Not under the lock, since callers of theirs may go on from there.
        tellings.forEach(Runnable::run);
    }

    /** As many of those that wait as make one call; null when there are none. */
    private @Nullable RequestBatch next() {
        RequestBatch batch = null;
        for (PendingRequest pending = waiting.peek();
                pending != null && (batch == null || batch.takes(pending));
                pending = waiting.peek()) {
            if (!waiting.remove(pending) || !pending.beginSending()) {
                // Given up meanwhile.
                continue;
            }
            if (pending.isDone()) {
                underWay.decrementAndGet();
            } else if (batch == null) {
                batch = new RequestBatch(pending);
            } else {
                batch.add(pending);
            }
        }
        return batch;
    }

    private void ended(RequestBatch batch) {
        if (!calls.remove(batch)) {
            // Told twice, which happens where it is stopped by two at once.
            return;
        }
        underWay.addAndGet(-batch.requests().size());
        goOn();
    }

    private void takenBack(PendingRequest pending) {
        waiting.remove(pending);
        underWay.decrementAndGet();
        pending.fail("its caller gave it up; nothing was sent", false);
    }

    /**
     * Sends one alone that was not decided among others. It is under way as before, and its time goes on; it waits for no other
     * call.
     */
    private void sendAlone(PendingRequest pending) {
        if (pending.isDone()) {
            // Nobody waits for it any more, and nothing was charged.
            return;
        }
        RequestBatch alone = new RequestBatch(pending);
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
        for (Iterator<PendingRequest> each = waiting.iterator(); each.hasNext(); ) {
            PendingRequest pending = each.next();
            if (!budget.isUp(pending, nowNanos, nextLookNanos)) {
                break;
            }
            if (pending.cancelUnsent()) {
                each.remove();
                underWay.decrementAndGet();
                deadlines.tell(() -> pending.fail(budget.problem() + "; nothing was sent", false));
            }
        }
        for (RequestBatch batch : calls) {
            for (PendingRequest pending : batch.requests()) {
                if (!pending.isDone() && budget.isUp(pending, nowNanos, nextLookNanos)) {
                    deadlines.tell(() -> pending.fail(budget.problem(), true));
                }
            }
        }
    }
}
