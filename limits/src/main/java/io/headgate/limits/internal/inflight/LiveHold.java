package io.headgate.limits.internal.inflight;

import io.headgate.limits.Hold;
import io.headgate.limits.InFlight;
import io.headgate.limits.InFlightRule;
import io.headgate.limits.internal.Blocking;
import io.headgate.limits.internal.LimitListeners;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A granted hold, whose lease its {@link Owner} renews until it is released or lost. */
final class LiveHold implements Hold {

    private static final System.Logger LOG = System.getLogger(Hold.class.getName());

    /** The component that renews and releases holds. */
    interface Owner {

        /** Ends a hold as lost: releases what is left of it, and reports it. Does nothing if it was released or lost before. */
        void lost(LiveHold hold);

        /** Releases a hold, and completes with whether it was held. */
        void release(LiveHold hold, CompletableFuture<Boolean> answer);

        Blocking blocking();
    }

    private enum State {
        HELD,
        RELEASED,
        LOST
    }

    final HoldRequest request;
    final PlacedHold placed;
    final long leaseNanos;
    private final InFlight inFlight;
    private final Owner owner;
    private final AtomicReference<State> state = new AtomicReference<>(State.HELD);
    private final CompletableFuture<Void> lost = new CompletableFuture<>();
    private final CompletableFuture<Boolean> released = new CompletableFuture<>();

    /** When the last successful call was sent, by which the hold was granted or renewed. The current lease started then or later. */
    private volatile long confirmedNanos;

    /** The task that ends the hold after the policy's {@code atMost}. */
    private volatile @Nullable Future<?> end;

    LiveHold(HoldRequest request, PlacedHold placed, InFlight inFlight, Owner owner, long sentNanos) {
        this.request = request;
        this.placed = placed;
        this.inFlight = inFlight;
        this.owner = owner;
        this.leaseNanos = request.policy().lease().toNanos();
        this.confirmedNanos = sentNanos;
    }

    @Override
    public boolean allowed() {
        return true;
    }

    @Override
    public InFlight inFlight() {
        return inFlight;
    }

    @Override
    public Optional<InFlightRule> deniedBy() {
        return Optional.empty();
    }

    @Override
    public boolean isLost() {
        if (isHeld() && isOverdue()) {
            owner.lost(this);
        }
        return state.get() == State.LOST;
    }

    @Override
    public void onLost(Runnable what) {
        lost.thenRun(() -> LimitListeners.run(LOG, "a callback of onLost", what));
    }

    @Override
    public boolean release() {
        // Sent first, so that the hold is released even if the thread is interrupted and does not wait for the reply.
        CompletableFuture<Boolean> answer = releasing().copy();
        return owner.blocking().await("release", () -> answer);
    }

    @Override
    public CompletionStage<Boolean> releaseAsync() {
        // A copy, because the caller could complete or cancel the future itself.
        return releasing().copy();
    }

    @Override
    public void close() {
        releasing();
    }

    private CompletableFuture<Boolean> releasing() {
        // A hold with an expired lease is lost, not released; the holder must be notified of that.
        if (!isLost() && becomesReleased()) {
            owner.release(this, released);
        }
        return released;
    }

    /** Marks the hold released. Returns true only for the first call; that caller must send the release. */
    boolean becomesReleased() {
        boolean now = state.compareAndSet(State.HELD, State.RELEASED);
        if (now) {
            cancelEnd();
        }
        return now;
    }

    /** Completes the release with whether the hold was still held. */
    void released(boolean wasHeld) {
        released.complete(wasHeld);
    }

    boolean isHeld() {
        return state.get() == State.HELD;
    }

    /** Whether the lease has expired, by the clock of this process. */
    boolean isOverdue() {
        return System.nanoTime() - confirmedNanos > leaseNanos;
    }

    /** Returns the time since the last successful renewal, or the grant. */
    long ageNanos() {
        return System.nanoTime() - confirmedNanos;
    }

    void confirmed(long sentNanos) {
        confirmedNanos = sentNanos;
    }

    /** Marks the hold lost. Returns true only for the first call. */
    boolean becomesLost() {
        boolean now = state.compareAndSet(State.HELD, State.LOST);
        if (now) {
            cancelEnd();
            released.complete(false);
        }
        return now;
    }

    /** Runs the callbacks of {@link #onLost}. */
    void notifyLost() {
        lost.complete(null);
    }

    /** Sets the task that ends the hold, which is cancelled if the hold ends earlier. */
    void cancelOnEnd(Future<?> task) {
        end = task;
        if (!isHeld()) {
            cancelEnd();
        }
    }

    private void cancelEnd() {
        Future<?> task = end;
        if (task != null) {
            task.cancel(false);
        }
    }
}
