package io.headgate.limits.internal;

import io.headgate.limits.Attributes;
import io.headgate.limits.Hold;
import io.headgate.limits.HoldRequest;
import io.headgate.limits.InFlightListener;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.LimiterException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The half of an engine that limits what is in flight: the same in memory and on Redis, but for where holds are kept. */
public final class InFlightEngine {

    private static final Duration LONGEST_CLOSE = Duration.ofSeconds(2);

    private final EngineState state;
    private final HoldStore store;
    private final HoldId.Source ids;
    private final InFlightListeners listeners;
    private final HoldKeeper keeper;
    private final HoldLines lines;

    /**
     * One without holds.
     *
     * @param state of the engine, which refuses calls when it is closed
     * @param ids makes the ids of its holds
     * @param timer what it runs must not block
     * @param blocking waits for what the store answers
     * @param onWaiting is told of the policies for which somebody waits, again and again; must not block
     */
    public InFlightEngine(
            EngineState state,
            HoldStore store,
            HoldId.Source ids,
            ScheduledExecutorService timer,
            Blocking blocking,
            List<InFlightListener> listeners,
            Consumer<String> onWaiting) {
        this(state, store, ids, timer, blocking, listeners, onWaiting, HoldLines.LONGEST_SLEEP_NANOS);
    }

    /** The same, in which those who wait ask by themselves as seldom as told. */
    InFlightEngine(
            EngineState state,
            HoldStore store,
            HoldId.Source ids,
            ScheduledExecutorService timer,
            Blocking blocking,
            List<InFlightListener> listeners,
            Consumer<String> onWaiting,
            long longestSleepNanos) {
        this.state = state;
        this.store = store;
        this.ids = ids;
        this.listeners = new InFlightListeners(listeners);
        this.lines = new HoldLines(onWaiting, longestSleepNanos);
        this.keeper = new HoldKeeper(store, timer, blocking, this.listeners, this::freed);
    }

    /** One whose holds are kept in memory. */
    public static InFlightEngine inMemory(MemoryHolds holds, List<InFlightListener> listeners, EngineState state) {
        return new InFlightEngine(
                state, holds, new HoldId.Source(), TimedWait.TIMER, Blocking.NEVER, listeners, policy -> {});
    }

    /** Says that permits were given back in a place, here or in another process. */
    public void freed(String place, long permits) {
        lines.freed(place, permits);
    }

    /** Says that anything may have changed under a policy. */
    public void changed(String policy) {
        lines.policyChanged(policy);
    }

    /** Releases all holds, which takes two seconds at most, and ends the waits when the state was closed before. */
    public void close() {
        keeper.close(LONGEST_CLOSE);
        lines.wakeAll();
    }

    EngineState state() {
        return state;
    }

    HoldStore store() {
        return store;
    }

    Blocking blocking() {
        return keeper.blocking();
    }

    /** One who waits, in line with all others. */
    HoldWait waiting(
            InFlightPolicy policy,
            Attributes attributes,
            long permits,
            Duration maxWait,
            Supplier<CompletableFuture<Hold>> asking) {
        Bounds.heldPermits(permits);
        long deadlineNanos = System.nanoTime() + Bounds.maxWaitNanos(maxWait);
        HoldWait wait = new HoldWait(policy.name(), store.places(policy, attributes), permits, asking, deadlineNanos);
        lines.enter(wait);
        return wait;
    }

    /** What becomes of permits that were taken. */
    interface Holding {

        /**
         * The hold.
         *
         * @param sentNanos when the call was sent
         */
        Hold of(HoldStore.Taken taken, long sentNanos);
    }

    /** Asks once for a hold that this engine keeps. What comes after the answer was cancelled is given back. */
    CompletableFuture<Hold> acquire(HoldRequest request, List<String> places) {
        if (state.isClosed()) {
            return state.failed();
        }
        PlacedHold placed = new PlacedHold(
                ids.next(), request.permits(), places, request.policy().fallback());
        if (keeper.isFull()) {
            return CompletableFuture.failedFuture(failed(
                    request,
                    new LimiterException(
                            "hold",
                            "of policy " + request.policy().name(),
                            "this engine has " + HoldKeeper.MAX_HOLDS + " holds; no place was taken",
                            false,
                            null)));
        }
        return acquire(
                request,
                request.policy(),
                placed,
                (taken, sentNanos) -> keeper.keep(request, placed, taken.inFlight(), sentNanos));
    }

    /**
     * Asks once. What comes after the answer was cancelled is given back.
     *
     * @param asked the policy as the store is asked
     */
    CompletableFuture<Hold> acquire(HoldRequest request, InFlightPolicy asked, PlacedHold placed, Holding holding) {
        if (state.isClosed()) {
            return state.failed();
        }
        CompletableFuture<Hold> answer = new CompletableFuture<>();
        long sentNanos = System.nanoTime();
        store.acquire(asked, placed).whenComplete((taken, problem) -> {
            try {
                if (taken == null) {
                    failed(request, asked, placed, answer, problem);
                } else {
                    if (taken.inDoubt()) {
                        keeper.giveBackIfHeld(asked.name(), placed, asked.lease());
                    }
                    Hold hold =
                            taken.allowed() ? holding.of(taken, sentNanos) : DeniedHold.of(taken.inFlight(), placed);
                    answered(request, hold, answer);
                }
            } catch (RuntimeException | Error e) {
                // As when the engine was closed meanwhile: nobody else would tell the caller.
                answer.completeExceptionally(e);
            }
        });
        return answer;
    }

    private void answered(HoldRequest request, Hold hold, CompletableFuture<Hold> answer) {
        listeners.onHold(request, hold);
        if (!answer.complete(hold)) {
            hold.close();
        }
    }

    private void failed(
            HoldRequest request,
            InFlightPolicy asked,
            PlacedHold placed,
            CompletableFuture<Hold> answer,
            @Nullable Throwable problem) {
        Throwable cause = Causes.of(problem);
        // A closed engine fails with an exception of its own, and its cause says whether permits may be taken.
        Throwable ofCall = cause instanceof IllegalStateException ? cause.getCause() : cause;
        if (ofCall instanceof LimiterException failure && failure.mayBeCharged()) {
            keeper.giveBackIfHeld(asked.name(), placed, asked.lease());
        }
        if (cause instanceof LimiterException failure) {
            listeners.onFailure(request, failure);
        }
        answer.completeExceptionally(cause);
    }

    private LimiterException failed(HoldRequest request, LimiterException failure) {
        listeners.onFailure(request, failure);
        return failure;
    }

    /**
     * Gives back what a ticket names, again and again where that fails; says whether it was held. As others may have renewed it,
     * its lease is not known, so it may be as long as any.
     */
    CompletionStage<Boolean> giveBack(String policy, PlacedHold placed) {
        if (state.isClosed()) {
            return state.failed();
        }
        return keeper.giveBackIfHeld(policy, placed, Bounds.MAX_HOLD_LEASE).thenApply(Released::wasHeld);
    }

    /** Gives back what is held in a place. */
    CompletionStage<Boolean> reset(String policy, String place) {
        if (state.isClosed()) {
            return state.failed();
        }
        return store.reset(policy, place).whenComplete((any, problem) -> {
            if (problem == null) {
                lines.freed(place, Long.MAX_VALUE);
            }
        });
    }
}
