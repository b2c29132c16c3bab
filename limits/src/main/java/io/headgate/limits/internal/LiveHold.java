package io.headgate.limits.internal;

import io.headgate.limits.Hold;
import io.headgate.limits.HoldRequest;
import io.headgate.limits.InFlight;
import io.headgate.limits.InFlightRule;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A hold whose lease its {@link Owner} renews until it is released or lost. */
final class LiveHold implements Hold {

    /** Renews and releases this hold. */
    interface Owner {

        /** Reports a lost hold, unless it was released before. */
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
    private final Owner keeper;
    private final AtomicReference<State> state = new AtomicReference<>(State.HELD);
    private final CompletableFuture<Void> lost = new CompletableFuture<>();
    private final CompletableFuture<Boolean> released = new CompletableFuture<>();

    /** When the call was sent that last was told that this is held: from then on it is, for as long as the lease. */
    private volatile long confirmedNanos;

    /** What takes it back when it is held for too long. */
    private volatile @Nullable Future<?> end;

    LiveHold(HoldRequest request, PlacedHold placed, InFlight inFlight, Owner keeper, long sentNanos) {
        this.request = request;
        this.placed = placed;
        this.inFlight = inFlight;
        this.keeper = keeper;
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
            keeper.lost(this);
        }
        return state.get() == State.LOST;
    }

    @Override
    public void onLost(Runnable what) {
        lost.thenRun(() -> InFlightListeners.run("what was to be done when a hold is lost", what));
    }

    @Override
    public boolean release() {
        // Begun in any case, also where an interrupted thread does not wait for the answer.
        CompletableFuture<Boolean> answer = releasing().copy();
        return keeper.blocking().await("release", () -> answer);
    }

    @Override
    public CompletionStage<Boolean> releaseAsync() {
        return releasing().copy();
    }

    @Override
    public void close() {
        releasing();
    }

    private CompletableFuture<Boolean> releasing() {
        // One whose lease has passed is not released but lost, and its holder is told so.
        if (!isLost() && becomesReleased()) {
            keeper.release(this, released);
        }
        return released;
    }

    /** Whether it was held until now; whoever makes it so sends the release, and says what came of it. */
    boolean becomesReleased() {
        boolean now = state.compareAndSet(State.HELD, State.RELEASED);
        if (now) {
            doNothingMore();
        }
        return now;
    }

    /** Says whether it was still held when it was released. */
    void released(boolean wasHeld) {
        released.complete(wasHeld);
    }

    boolean isHeld() {
        return state.get() == State.HELD;
    }

    /** Whether its lease has passed, by the clock of this process, since it was last known to be held. */
    boolean isOverdue() {
        return System.nanoTime() - confirmedNanos > leaseNanos;
    }

    /** How long ago it was last known to be held. */
    long ageNanos() {
        return System.nanoTime() - confirmedNanos;
    }

    void confirmed(long sentNanos) {
        confirmedNanos = sentNanos;
    }

    /** Whether it was held until now. */
    boolean becomesLost() {
        boolean now = state.compareAndSet(State.HELD, State.LOST);
        if (now) {
            doNothingMore();
            released.complete(false);
        }
        return now;
    }

    /** Tells those who want to know. */
    void tellLost() {
        lost.complete(null);
    }

    /** What ends it is to be cancelled with it. */
    void endedBy(Future<?> task) {
        end = task;
        if (!isHeld()) {
            doNothingMore();
        }
    }

    private void doNothingMore() {
        Future<?> task = end;
        if (task != null) {
            task.cancel(false);
        }
    }
}
