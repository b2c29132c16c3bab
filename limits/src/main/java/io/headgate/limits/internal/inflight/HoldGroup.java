package io.headgate.limits.internal.inflight;

import io.headgate.limits.Fallback;
import io.headgate.limits.InFlightPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The holds of an engine with the same policy, lease and fallback. They are renewed in batches, each time a third of the lease has
 * passed, and sooner after a failure. A failed release is retried until the lease has expired.
 *
 * <p>The group with the longest allowed lease also has the failed releases of holds that this engine does not renew, whatever their leases
 * are.
 */
final class HoldGroup {

    /** The most failed releases that a group keeps for a retry. A Redis that does not reply may cause many. */
    private static final int MOST_UNRELEASED = 10_000;

    /** The longest delay before a retry. */
    private static final long MAX_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The owner of the groups, with the resources that they share. */
    interface Owner {

        HoldStore store();

        /** Schedules a task; returns null if the owner is closed. */
        @Nullable
        ScheduledFuture<?> schedule(Runnable task, long nanos);

        /** Runs a task that continues the renewals of a group; removes the group instead if it is empty. */
        void continueGroup(HoldGroup group, Runnable next);

        /** Ends a hold as lost: releases what is left of it, and reports it. Does nothing if it was released or lost before. */
        void lost(LiveHold hold);

        /** Wakes requests that wait for the released permits. */
        void notifyReleased(Released released);
    }

    /** The properties that all holds of a group have in common. */
    record Id(String policy, Duration lease, Optional<Fallback> fallback) {

        static Id of(HoldRequest request) {
            InFlightPolicy policy = request.policy();
            return new Id(policy.name(), policy.lease(), policy.fallback());
        }
    }

    final Id id;
    final Set<LiveHold> holds = ConcurrentHashMap.newKeySet();
    private final Owner owner;
    private final long leaseNanos;

    /** The failed releases, and the {@link System#nanoTime()} until which they are retried. */
    private final Map<PlacedHold, Long> unreleased = new ConcurrentHashMap<>();

    private final AtomicBoolean releasing = new AtomicBoolean();

    HoldGroup(Id id, Owner owner) {
        this.id = id;
        this.owner = owner;
        this.leaseNanos = id.lease().toNanos();
    }

    boolean isEmpty() {
        return holds.isEmpty() && unreleased.isEmpty();
    }

    void begin() {
        owner.schedule(this::renew, leaseNanos / 3);
    }

    /**
     * Retries a failed release until the lease has expired. If too many releases wait for a retry, it is not retried, and the hold ends
     * with its lease.
     *
     * @param lease the lease of the hold
     */
    void retryRelease(PlacedHold hold, Duration lease) {
        if (unreleased.size() < MOST_UNRELEASED) {
            unreleased.putIfAbsent(hold, System.nanoTime() + lease.toNanos());
        }
        scheduleRetry(retryNanos());
    }

    private void scheduleRetry(long nanos) {
        if (releasing.compareAndSet(false, true)) {
            owner.schedule(this::retryReleases, nanos);
        }
    }

    /** The delay before a retry: a second, or a tenth of the lease if that is less. */
    private long retryNanos() {
        return Math.min(MAX_RETRY_NANOS, leaseNanos / 10);
    }

    private void renew() {
        long startNanos = System.nanoTime();
        CompletionStage<Boolean> renewing;
        try {
            renewing = renewAll(due());
        } catch (RuntimeException e) {
            // Otherwise the renewals would stop.
            renewing = CompletableFuture.failedFuture(e);
        }
        renewing.whenComplete((allSucceeded, problem) -> {
            boolean failed = problem != null || !allSucceeded;
            long usedNanos = System.nanoTime() - startNanos;
            long delayNanos = failed ? retryNanos() : Math.max(leaseNanos / 10, leaseNanos / 3 - usedNanos);
            owner.continueGroup(this, () -> owner.schedule(this::renew, delayNanos));
        });
    }

    /** Returns the holds to renew now, and reports holds with an expired lease as lost. */
    private List<LiveHold> due() {
        List<LiveHold> due = new ArrayList<>();
        for (LiveHold hold : holds) {
            if (hold.isHeld() && hold.isOverdue()) {
                owner.lost(hold);
            } else if (hold.ageNanos() > leaseNanos / 6) {
                // A younger hold still has half of its lease at the next renewal.
                due.add(hold);
            }
        }
        return due;
    }

    /** Renews holds batch after batch; completes with whether all calls succeeded. */
    private CompletionStage<Boolean> renewAll(List<LiveHold> due) {
        CompletionStage<Boolean> all = CompletableFuture.completedFuture(true);
        for (List<LiveHold> batch : HoldBatches.of(due, hold -> hold.placed)) {
            all = all.thenCompose(succeeded -> succeeded ? renew(batch) : CompletableFuture.completedFuture(false));
        }
        return all;
    }

    private CompletionStage<Boolean> renew(List<LiveHold> batch) {
        long sentNanos = System.nanoTime();
        List<PlacedHold> placed = batch.stream().map(hold -> hold.placed).toList();
        return owner.store().renew(id.lease(), placed).handle((held, problem) -> {
            for (int i = 0; problem == null && i < held.length; i++) {
                if (held[i]) {
                    batch.get(i).confirmed(sentNanos);
                } else {
                    owner.lost(batch.get(i));
                }
            }
            return problem == null;
        });
    }

    /** Retries the first batch of failed releases. After a success, the next batch follows at once. */
    private void retryReleases() {
        unreleased.values().removeIf(untilNanos -> System.nanoTime() - untilNanos > 0);
        List<List<PlacedHold>> batches = HoldBatches.of(List.copyOf(unreleased.keySet()));
        if (batches.isEmpty()) {
            releasing.set(false);
            if (!unreleased.isEmpty()) {
                // A release was added while this retry was running.
                scheduleRetry(retryNanos());
            }
            return;
        }
        CompletionStage<List<Released>> sent;
        try {
            sent = owner.store().release(batches.get(0));
        } catch (RuntimeException e) {
            // Otherwise releasing would stay true, and nothing would be retried.
            sent = CompletableFuture.failedFuture(e);
        }
        sent.whenComplete((released, problem) -> {
            boolean allCertain = problem == null && released.stream().noneMatch(Released::inDoubt);
            if (problem == null) {
                released.stream().filter(one -> !one.inDoubt()).forEach(one -> unreleased.remove(one.hold()));
                released.forEach(owner::notifyReleased);
            }
            releasing.set(false);
            if (!unreleased.isEmpty()) {
                scheduleRetry(allCertain ? 0 : retryNanos());
            }
        });
    }

    /** Sends the release of holds batch after batch, even if a call fails; completes with whether all calls succeeded. */
    CompletionStage<Boolean> releaseAll(List<LiveHold> released) {
        CompletionStage<Boolean> all = CompletableFuture.completedFuture(true);
        for (List<LiveHold> batch : HoldBatches.of(released, hold -> hold.placed)) {
            all = all.thenCompose(before -> release(batch).thenApply(succeeded -> before && succeeded));
        }
        return all;
    }

    private CompletionStage<Boolean> release(List<LiveHold> batch) {
        List<PlacedHold> placed = batch.stream().map(hold -> hold.placed).toList();
        return owner.store().release(placed).handle((released, problem) -> {
            for (int i = 0; i < batch.size(); i++) {
                batch.get(i).released(problem == null && released.get(i).wasHeld());
            }
            return problem == null;
        });
    }
}
