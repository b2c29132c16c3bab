package io.headgate.limits.internal;

import io.headgate.limits.HoldRequest;
import io.headgate.limits.InFlight;
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
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the holds of an engine: has their leases renewed, group by group, gives them back, also when that fails the first time,
 * and tells who has lost one.
 */
final class HoldKeeper implements HoldGroup.Owner, LiveHold.Owner {

    /** The most holds of an engine. */
    static final int MAX_HOLDS = 1_000_000;

    private final HoldStore store;
    private final ScheduledExecutorService timer;
    private final Blocking blocking;
    private final InFlightListeners listeners;
    private final BiConsumer<String, Long> freed;
    private final Map<HoldGroup.Id, HoldGroup> groups = new ConcurrentHashMap<>();
    private final AtomicInteger count = new AtomicInteger();
    private volatile boolean closed;

    /**
     * One without holds.
     *
     * @param timer what it runs must not block
     * @param freed is told of each place in which permits were given back, and how many
     */
    HoldKeeper(
            HoldStore store,
            ScheduledExecutorService timer,
            Blocking blocking,
            InFlightListeners listeners,
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

    /** A hold that was taken, whose lease is renewed from now on. */
    LiveHold keep(HoldRequest request, PlacedHold placed, InFlight inFlight, long sentNanos) {
        LiveHold hold = new LiveHold(request, placed, inFlight, this, sentNanos);
        count.incrementAndGet();
        group(HoldGroup.Id.of(request), group -> group.holds.add(hold));
        request.policy().atMost().ifPresent(longest -> later(() -> lost(hold), longest.toNanos(), hold));
        if (closed) {
            lost(hold);
        }
        return hold;
    }

    private void later(Runnable what, long nanos, LiveHold hold) {
        ScheduledFuture<?> task = schedule(what, nanos);
        if (task != null) {
            hold.endedBy(task);
        }
    }

    /** Does something with the group, which is there then. */
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
    public void goOn(HoldGroup group, Runnable next) {
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
            // The threads have been shut down, and with them all else ends.
            return null;
        }
    }

    @Override
    public void release(LiveHold hold, CompletableFuture<Boolean> answer) {
        forget(hold);
        giveBack(hold).whenComplete((released, problem) -> {
            if (problem == null) {
                answer.complete(released.wasHeld());
            } else {
                answer.completeExceptionally(Causes.of(problem));
            }
        });
    }

    /** Gives back what this engine holds; when that fails, again and again until the lease ends. */
    private CompletionStage<Released> giveBack(LiveHold hold) {
        CompletionStage<Released> sent = release(
                HoldGroup.Id.of(hold.request),
                hold.placed,
                hold.request.policy().lease());
        // Not by the answer: who is woken now asks right behind the release.
        hold.placed.places().forEach(place -> freed.accept(place, hold.placed.permits()));
        return sent;
    }

    /**
     * Gives back what somebody says is held, or may be, and tells those who wait of what really was. When that fails, it is tried
     * again and again until the lease ends.
     *
     * @param lease its own, or the longest that there is where that is not known
     */
    CompletionStage<Released> giveBackIfHeld(String policy, PlacedHold placed, Duration lease) {
        // In one group of each policy: who chooses leases chooses no number of groups.
        CompletionStage<Released> sent = release(new HoldGroup.Id(policy, Bounds.MAX_HOLD_LEASE), placed, lease);
        return sent.whenComplete((released, problem) -> {
            if (problem == null) {
                tellFreed(released);
            }
        });
    }

    private CompletionStage<Released> release(HoldGroup.Id id, PlacedHold placed, Duration lease) {
        return store.release(id.policy(), List.of(placed))
                .thenApply(released -> released.get(0))
                .whenComplete((released, problem) -> {
                    if ((problem != null || released.inDoubt()) && !closed) {
                        group(id, group -> group.releaseLater(placed, lease));
                    }
                });
    }

    @Override
    public void tellFreed(Released released) {
        released.tell(freed);
    }

    @Override
    public void lost(LiveHold hold) {
        if (hold.becomesLost()) {
            forget(hold);
            // Where it was lost in one place, or is only thought to be, it must not stay in others.
            giveBack(hold);
            listeners.onLost(hold.request, hold);
            hold.tellLost();
        }
    }

    private void forget(LiveHold hold) {
        HoldGroup group = groups.get(HoldGroup.Id.of(hold.request));
        if (group != null && group.holds.remove(hold)) {
            count.decrementAndGet();
        }
    }

    /** Releases what is held, in few calls, and waits for that no longer than told. */
    void close(Duration atMost) {
        closed = true;
        CompletionStage<Boolean> all = CompletableFuture.completedFuture(true);
        for (HoldGroup group : groups.values()) {
            List<LiveHold> held = new ArrayList<>();
            group.holds.removeIf(hold -> hold.becomesReleased() && held.add(hold));
            all = all.thenCombine(group.releaseAll(held), Boolean::logicalAnd);
        }
        try {
            all.toCompletableFuture().get(atMost.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // What was not released ends with its lease.
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
