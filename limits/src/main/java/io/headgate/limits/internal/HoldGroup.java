package io.headgate.limits.internal;

import io.headgate.limits.HoldRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The holds of an engine under one policy and one lease, which are renewed together: every third of the lease, a batch after
 * the other; and soon again where that fails.
 */
final class HoldGroup {

    /** How many are kept that could not be released; a Redis that hangs may make many. */
    private static final int MOST_UNRELEASED = 10_000;

    private static final long SOON_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Has the groups, and the resources that they share. */
    interface Owner {

        HoldStore store();

        /** Runs a task later; null when the owner is closed. */
        @Nullable
        ScheduledFuture<?> schedule(Runnable task, long nanos);

        /** Runs the next step of a group, or removes the group when it is empty. */
        void goOn(HoldGroup group, Runnable next);

        /** Reports a lost hold, unless it was released before. */
        void lost(LiveHold hold);

        /** Wakes those that wait for released permits. */
        void tellFreed(Released released);
    }

    /** What these holds have in common. */
    record Id(String policy, Duration lease) {

        static Id of(HoldRequest request) {
            return new Id(request.policy().name(), request.policy().lease());
        }
    }

    final Id id;
    final Set<LiveHold> holds = ConcurrentHashMap.newKeySet();
    private final Owner keeper;
    private final long leaseNanos;

    /** What could not be released, and until when that is tried. */
    private final Map<PlacedHold, Long> unreleased = new ConcurrentHashMap<>();

    private final AtomicBoolean releasing = new AtomicBoolean();

    HoldGroup(Id id, Owner keeper) {
        this.id = id;
        this.keeper = keeper;
        this.leaseNanos = id.lease().toNanos();
    }

    boolean isEmpty() {
        return holds.isEmpty() && unreleased.isEmpty();
    }

    void begin() {
        keeper.schedule(this::renew, leaseNanos / 3);
    }

    /**
     * Has one released again and again until its lease has passed; one beyond the most is left to its lease.
     *
     * @param lease its own
     */
    void releaseLater(PlacedHold hold, Duration lease) {
        if (unreleased.size() < MOST_UNRELEASED) {
            unreleased.putIfAbsent(hold, System.nanoTime() + lease.toNanos());
        }
        releaseSoon(soonNanos());
    }

    private void releaseSoon(long nanos) {
        if (releasing.compareAndSet(false, true)) {
            keeper.schedule(this::releaseAgain, nanos);
        }
    }

    private long soonNanos() {
        return Math.min(SOON_NANOS, leaseNanos / 10);
    }

    private void renew() {
        long startNanos = System.nanoTime();
        CompletionStage<Boolean> renewing;
        try {
            renewing = renewAll(due());
        } catch (RuntimeException e) {
            // Nobody else would go on.
            renewing = CompletableFuture.failedFuture(e);
        }
        renewing.whenComplete((whole, problem) -> {
            boolean failed = problem != null || !whole;
            long usedNanos = System.nanoTime() - startNanos;
            long delayNanos = failed ? soonNanos() : Math.max(leaseNanos / 10, leaseNanos / 3 - usedNanos);
            keeper.goOn(this, () -> keeper.schedule(this::renew, delayNanos));
        });
    }

    /** Those whose leases are to be renewed now; says of those whose leases have passed that they are lost. */
    private List<LiveHold> due() {
        List<LiveHold> due = new ArrayList<>();
        for (LiveHold hold : holds) {
            if (hold.isHeld() && hold.isOverdue()) {
                keeper.lost(hold);
            } else if (hold.ageNanos() > leaseNanos / 6) {
                // What is younger has half of its lease left the next time.
                due.add(hold);
            }
        }
        return due;
    }

    /** Renews them, a batch after the other; says whether that went well. */
    private CompletionStage<Boolean> renewAll(List<LiveHold> due) {
        CompletionStage<Boolean> all = CompletableFuture.completedFuture(true);
        for (List<LiveHold> batch : HoldBatches.of(due, hold -> hold.placed)) {
            all = all.thenCompose(whole -> whole ? renew(batch) : CompletableFuture.completedFuture(false));
        }
        return all;
    }

    private CompletionStage<Boolean> renew(List<LiveHold> batch) {
        long sentNanos = System.nanoTime();
        List<PlacedHold> placed = batch.stream().map(hold -> hold.placed).toList();
        return keeper.store().renew(id.policy(), id.lease(), placed).handle((held, problem) -> {
            for (int i = 0; problem == null && i < held.length; i++) {
                if (held[i]) {
                    batch.get(i).confirmed(sentNanos);
                } else {
                    keeper.lost(batch.get(i));
                }
            }
            return problem == null;
        });
    }

    private void releaseAgain() {
        unreleased.values().removeIf(untilNanos -> System.nanoTime() - untilNanos > 0);
        List<List<PlacedHold>> batches = HoldBatches.of(List.copyOf(unreleased.keySet()));
        if (batches.isEmpty()) {
            releasing.set(false);
            if (!unreleased.isEmpty()) {
                // It came just now, and found that somebody was at it.
                releaseSoon(soonNanos());
            }
            return;
        }
        CompletionStage<List<Released>> sent;
        try {
            sent = keeper.store().release(id.policy(), batches.get(0));
        } catch (RuntimeException e) {
            // Nobody else would go on.
            sent = CompletableFuture.failedFuture(e);
        }
        sent.whenComplete((released, problem) -> {
            boolean isDone = problem == null && released.stream().noneMatch(Released::inDoubt);
            if (problem == null) {
                released.stream().filter(one -> !one.inDoubt()).forEach(one -> unreleased.remove(one.hold()));
                released.forEach(keeper::tellFreed);
            }
            releasing.set(false);
            if (!unreleased.isEmpty()) {
                releaseSoon(isDone ? 0 : soonNanos());
            }
        });
    }

    /** Releases those that have become so, a batch after the other; says whether that went well. */
    CompletionStage<Boolean> releaseAll(List<LiveHold> released) {
        CompletionStage<Boolean> all = CompletableFuture.completedFuture(true);
        for (List<LiveHold> batch : HoldBatches.of(released, hold -> hold.placed)) {
            all = all.thenCompose(whole -> release(batch));
        }
        return all;
    }

    private CompletionStage<Boolean> release(List<LiveHold> batch) {
        List<PlacedHold> placed = batch.stream().map(hold -> hold.placed).toList();
        return keeper.store().release(id.policy(), placed).handle((released, problem) -> {
            for (int i = 0; i < batch.size(); i++) {
                batch.get(i).released(problem == null && released.get(i).wasHeld());
            }
            return problem == null;
        });
    }
}
