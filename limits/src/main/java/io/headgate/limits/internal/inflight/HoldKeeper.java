package io.headgate.limits.internal.inflight;

import io.headgate.limits.InFlight;
import io.headgate.limits.internal.Blocking;
import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.Causes;
import io.headgate.limits.internal.LimitListeners;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the holds of an engine: renews their leases in groups, releases them, with retries, and reports lost holds. Safe for use by
 * several threads.
 */
final class HoldKeeper implements HoldGroup.Owner, LiveHold.Owner {

    /** The most holds that an engine keeps; those with tickets do not count. */
    static final int MAX_HOLDS = 1_000_000;

    private final HoldStore store;
    private final ScheduledExecutorService timer;
    private final Blocking blocking;
    private final LimitListeners listeners;
    private final BiConsumer<String, Long> freed;
    private final Map<HoldGroup.Id, HoldGroup> groups = new ConcurrentHashMap<>();
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicLong permits = new AtomicLong();
    private volatile boolean closed;

    /**
     * Creates a keeper without holds.
     *
     * @param timer runs tasks that do not block
     * @param freed receives each {@linkplain HoldStore place} in which permits were released, and their number
     */
    HoldKeeper(
            HoldStore store,
            ScheduledExecutorService timer,
            Blocking blocking,
            LimitListeners listeners,
            BiConsumer<String, Long> freed) {
        this.store = store;
        this.timer = timer;
        this.blocking = blocking;
        this.listeners = listeners;
        this.freed = freed;
    }

    @Override
    public HoldStore store() {
        return store;
    }

    @Override
    public Blocking blocking() {
        return blocking;
    }

    boolean isFull() {
        return count.get() >= MAX_HOLDS;
    }

    /** The permits of the holds that it keeps. */
    long permits() {
        return permits.get();
    }

    /** Adds a hold that was granted, and renews its lease from now on. */
    LiveHold keep(HoldRequest request, PlacedHold placed, InFlight inFlight, long sentNanos) {
        LiveHold hold = new LiveHold(request, placed, inFlight, this, sentNanos);
        count.incrementAndGet();
        permits.addAndGet(placed.permits());
        group(HoldGroup.Id.of(request), group -> group.holds.add(hold));
        request.policy().atMost().ifPresent(longest -> later(() -> lost(hold), longest.toNanos(), hold));
        if (closed) {
            // close() may not have seen this hold.
            lost(hold);
        }
        return hold;
    }

    private void later(Runnable what, long nanos, LiveHold hold) {
        ScheduledFuture<?> task = schedule(what, nanos);
        if (task != null) {
            hold.cancelOnEnd(task);
        }
    }

    /** Runs an action on a group, which is created if it does not exist. */
    private void group(HoldGroup.Id id, Consumer<HoldGroup> what) {
        groups.compute(id, (any, there) -> {
            HoldGroup group = there;
            if (group == null) {
                group = new HoldGroup(id, this);
                group.begin();
            }
            what.accept(group);
            return group;
        });
    }

    @Override
    public void continueGroup(HoldGroup group, Runnable next) {
        groups.computeIfPresent(group.id, (id, there) -> {
            if (group.isEmpty()) {
                return null;
            }
            next.run();
            return there;
        });
    }

    @Override
    public @Nullable ScheduledFuture<?> schedule(Runnable task, long nanos) {
        try {
            return closed ? null : timer.schedule(task, nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // The timer is shut down, because the engine is being closed.
            return null;
        }
    }

    @Override
    public void release(LiveHold hold, CompletableFuture<Boolean> answer) {
        forget(hold);
        release(hold).whenComplete((released, problem) -> {
            if (problem == null) {
                answer.complete(released.wasHeld());
            } else {
                answer.completeExceptionally(Causes.of(problem));
            }
        });
    }

    /** Releases a hold of this engine, with retries until its lease expires. */
    private CompletionStage<Released> release(LiveHold hold) {
        CompletionStage<Released> sent = release(
                HoldGroup.Id.of(hold.request),
                hold.placed,
                hold.request.policy().lease());
        // Wake requests before the reply: their attempts follow the release on the same connection.
        hold.placed.places().forEach(place -> freed.accept(place, hold.placed.permits()));
        return sent;
    }

    /**
     * Releases a hold that a ticket identifies, or that may have been granted, and wakes as many waiting requests as it really had
     * permits. Retries until the lease expires.
     *
     * @param lease the lease of the hold; the longest allowed lease if it is unknown
     */
    CompletionStage<Released> releaseIfHeld(PlacedHold placed, Duration lease) {
        // One group per policy, not per lease: clients that choose leases must not be able to create any number of
        // groups.
        CompletionStage<Released> sent =
                release(new HoldGroup.Id(placed.policy(), Bounds.MAX_HOLD_LEASE, placed.fallback()), placed, lease);
        return sent.whenComplete((released, problem) -> {
            if (problem == null) {
                notifyReleased(released);
            }
        });
    }

    private CompletionStage<Released> release(HoldGroup.Id id, PlacedHold placed, Duration lease) {
        return store.release(List.of(placed))
                .thenApply(released -> released.get(0))
                .whenComplete((released, problem) -> {
                    if ((problem != null || released.inDoubt()) && !closed) {
                        group(id, group -> group.retryRelease(placed, lease));
                    }
                });
    }

    @Override
    public void notifyReleased(Released released) {
        released.forEachFreed(freed);
    }

    @Override
    public void lost(LiveHold hold) {
        if (hold.becomesLost()) {
            forget(hold);
            // The hold may have been lost in one place only, or may still be held; it must not stay held in any place.
            release(hold);
            listeners.onHoldLost(hold.request.policy(), hold.request.attributes(), hold.request.permits(), hold);
            hold.notifyLost();
        }
    }

    private void forget(LiveHold hold) {
        HoldGroup group = groups.get(HoldGroup.Id.of(hold.request));
        if (group != null && group.holds.remove(hold)) {
            removed(hold);
        }
    }

    private void removed(LiveHold hold) {
        count.decrementAndGet();
        permits.addAndGet(-hold.placed.permits());
    }

    /** Releases all holds in few calls, and waits for the replies up to the timeout. */
    void close(Duration timeout) {
        closed = true;
        CompletionStage<Boolean> all = CompletableFuture.completedFuture(true);
        for (HoldGroup group : groups.values()) {
            List<LiveHold> held = new ArrayList<>();
            group.holds.removeIf(hold -> hold.becomesReleased() && held.add(hold));
            held.forEach(this::removed);
            all = all.thenCombine(group.releaseAll(held), Boolean::logicalAnd);
        }
        try {
            all.toCompletableFuture().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // The holds that were not released end with their leases.
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
