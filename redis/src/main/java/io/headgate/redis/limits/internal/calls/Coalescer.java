package io.headgate.redis.limits.internal.calls;

import io.headgate.redis.internal.script.RedisExecutor;
import io.headgate.redis.limits.internal.planner.PolicyPlanner;
import io.lettuce.core.cluster.SlotHash;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Batches the concurrent requests of one limiter into script calls, as a database batches commits into one write (group commit). A request
 * is sent immediately while fewer than {@value #MAX_CALLS} calls are in flight. Otherwise it waits until one of these has ended, and is
 * then sent in one call with as many waiting requests as fit. So no request waits for a batch to fill, and batches grow with the load.
 * Requests are sent in the order of their arrival.
 *
 * <p>In a Cluster, all keys of a call must be in one slot, so each slot has a queue of its own, and the queues do not wait for each other.
 * A call states the limits once for all of its requests. So requests whose limits differ because of overrides have queues of their own,
 * too. A queue exists while it has requests, so the number of queues is bounded by the number of requests in flight.
 *
 * <p>Safe for use by any number of threads. Requests wait in a lock-free queue; a lock is held while a batch is taken from it and
 * written, and never during a wait for Redis.
 */
public final class Coalescer {

    /** One call in transit, and one that Redis executes. */
    private static final int MAX_CALLS = 2;

    private final RedisExecutor executor;
    private final RequestDeadlines deadlines;
    private final RequestDeadlines.Budget budget;
    private final int maxInFlight;
    private final AtomicInteger inFlight;

    /** The queue of all requests under the limits of the policy itself; null on a Cluster. */
    private final @Nullable RequestQueue single;

    /**
     * The other queues: by slot on a Cluster, by limits, or by both. The length of a queue changes only in a compute call for its entry.
     */
    private final ConcurrentHashMap<Object, RequestQueue> others = new ConcurrentHashMap<>();

    private record SlotAndLimits(Integer slot, PolicyPlanner limits) {}

    /**
     * Creates a coalescer without requests.
     *
     * @param deadlines fails requests without a reply in time
     * @param budget how long a request may take
     * @param maxInFlight the maximum number of requests of all limiters of the engine that wait or are in flight
     * @param inFlight the current number of these requests
     */
    public Coalescer(
            RedisExecutor executor,
            RequestDeadlines deadlines,
            RequestDeadlines.Budget budget,
            int maxInFlight,
            AtomicInteger inFlight) {
        this.executor = executor;
        this.deadlines = deadlines;
        this.budget = budget;
        this.maxInFlight = maxInFlight;
        this.inFlight = inFlight;
        this.single = executor.isCluster() ? null : new RequestQueue();
    }

    /** Sends a request, immediately or in the next batch. */
    public void send(PendingRequest pending) {
        if (single == null) {
            send(pending, slot(pending));
        } else {
            single.send(pending);
        }
    }

    /** Sends a request under the limits of overrides, immediately or in the next batch of requests under these limits. */
    public void sendVariant(PendingRequest pending) {
        send(pending, single == null ? new SlotAndLimits(slot(pending), pending.planner()) : pending.planner());
    }

    private static Integer slot(PendingRequest pending) {
        return SlotHash.getSlot(pending.request().keys()[0]);
    }

    private void send(PendingRequest pending, Object queueKey) {
        RequestQueue queue = others.compute(queueKey, (same, existing) -> {
            RequestQueue entered = existing == null ? new RequestQueue() : existing;
            entered.length++;
            return entered;
        });
        pending.whenComplete((decision, failure) ->
                others.computeIfPresent(queueKey, (same, left) -> --left.length == 0 ? null : left));
        queue.send(pending);
    }

    /** Sends all waiting requests, so that Redis decides them before any call that the caller sends afterwards. */
    public void flush() {
        // Even if no request seems to wait: another thread may be about to send some that it has taken from the queue.
        if (single != null) {
            single.sendUpTo(Integer.MAX_VALUE);
        }
        if (!others.isEmpty()) {
            others.values().forEach(queue -> queue.sendUpTo(Integer.MAX_VALUE));
        }
    }

    /** Requests whose keys may be in one call. */
    private final class RequestQueue implements RequestDeadlines.Source {

        private final ConcurrentLinkedQueue<PendingRequest> waiting = new ConcurrentLinkedQueue<>();
        private final Set<RequestBatch> batches = ConcurrentHashMap.newKeySet();
        private final ReentrantLock sending = new ReentrantLock();
        private final Consumer<PendingRequest> whenCancelled = this::cancelled;

        /** The number of requests that were added and have not completed; not counted in the single queue. */
        private int length;

        void send(PendingRequest pending) {
            if (inFlight.incrementAndGet() > maxInFlight) {
                inFlight.decrementAndGet();
                pending.fail("too many calls are in flight: " + maxInFlight + "; nothing was sent", false);
                return;
            }
            pending.awaitSending(whenCancelled);
            waiting.add(pending);
            sendNext();
            if (!pending.isDone()) {
                deadlines.watch(this);
            }
        }

        private void sendNext() {
            // The thread that holds the lock continues by itself; a call that fails immediately must not recurse.
            if (batches.size() >= MAX_CALLS || waiting.isEmpty() || sending.isHeldByCurrentThread()) {
                return;
            }
            if (executor.mayOvertake()) {
                // A call of this thread could be written before earlier calls of other threads.
                executor.threads().execute(this::sendNext);
            } else {
                sendUpTo(MAX_CALLS);
            }
        }

        private void sendUpTo(int maxCalls) {
            List<Runnable> completions = new ArrayList<>(MAX_CALLS);
            sending.lock();
            try {
                while (batches.size() < maxCalls) {
                    RequestBatch batch = takeBatch();
                    if (batch == null) {
                        break;
                    }
                    batches.add(batch);
                    completions.add(batch.send(executor, this::sendAlone, () -> completed(batch)));
                }
            } finally {
                sending.unlock();
            }
            // Not under the lock, since these may run callbacks of callers.
            completions.forEach(Runnable::run);
        }

        /** Removes as many waiting requests as fit into one call; null if none waits. */
        private @Nullable RequestBatch takeBatch() {
            RequestBatch batch = null;
            for (PendingRequest pending = waiting.peek();
                    pending != null && (batch == null || batch.accepts(pending));
                    pending = waiting.peek()) {
                if (!waiting.remove(pending) || !pending.beginSending()) {
                    // Another thread has cancelled it.
                    continue;
                }
                if (pending.isDone()) {
                    // Its caller no longer waits.
                    inFlight.decrementAndGet();
                } else if (batch == null) {
                    batch = new RequestBatch(pending);
                } else {
                    batch.add(pending);
                }
            }
            return batch;
        }

        private void completed(RequestBatch batch) {
            if (!batches.remove(batch)) {
                // This is called twice if two threads stop a call at the same time.
                return;
            }
            inFlight.addAndGet(-batch.requests().size());
            sendNext();
        }

        private void cancelled(PendingRequest pending) {
            waiting.remove(pending);
            inFlight.decrementAndGet();
            pending.fail("its caller gave it up; nothing was sent", false);
        }

        /** Sends a request in a call of its own after its batch did not decide it. It keeps its deadline, and waits for no other call. */
        private void sendAlone(PendingRequest pending) {
            if (pending.isDone()) {
                // Its caller no longer waits, and nothing was charged.
                return;
            }
            RequestBatch alone = new RequestBatch(pending);
            inFlight.incrementAndGet();
            batches.add(alone);
            deadlines.watch(this);
            alone.send(executor, this::sendAlone, () -> completed(alone)).run();
        }

        @Override
        public boolean isIdle() {
            return batches.isEmpty() && waiting.isEmpty();
        }

        @Override
        public void expireOverdue(long nowNanos, long nextSweepNanos) {
            for (Iterator<PendingRequest> each = waiting.iterator(); each.hasNext(); ) {
                PendingRequest pending = each.next();
                if (!budget.isExpired(pending.request(), nowNanos, nextSweepNanos)) {
                    // The others have waited for less time.
                    break;
                }
                if (pending.beginCancelling()) {
                    each.remove();
                    inFlight.decrementAndGet();
                    deadlines.run(() -> pending.fail(budget.problem() + "; nothing was sent", false));
                }
            }
            for (RequestBatch batch : batches) {
                for (PendingRequest pending : batch.requests()) {
                    if (!pending.isDone() && budget.isExpired(pending.request(), nowNanos, nextSweepNanos)) {
                        deadlines.run(() -> pending.fail(budget.problem(), true));
                    }
                }
            }
        }
    }
}
