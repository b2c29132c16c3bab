package io.headgate.limits.internal.inflight;

import io.headgate.limits.Attributes;
import io.headgate.limits.Hold;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.LimiterException;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.internal.Blocking;
import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.Causes;
import io.headgate.limits.internal.EngineState;
import io.headgate.limits.internal.LimitListeners;
import io.headgate.limits.internal.RequestIds;
import io.headgate.limits.internal.bans.BanIndex;
import io.headgate.limits.internal.bans.BanIndex.FoundBan;
import io.headgate.limits.internal.waiting.TimedWait;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The in-flight limits of an engine, in memory or on Redis, over a {@link HoldStore}. Safe for use by several threads. */
public final class InFlightEngine {

    private static final Duration LONGEST_CLOSE = Duration.ofSeconds(2);

    private final EngineState state;
    private final HoldStore store;
    private final HoldId.Source ids;
    private final BanIndex bans;
    private final LimitListeners listeners;
    private final HoldKeeper keeper;
    private final HoldLines lines;

    /**
     * Creates an instance without holds.
     *
     * @param state the state of the engine, which rejects calls after it is closed
     * @param ids creates the ids of its holds
     * @param bans the bans that this process knows
     * @param timer runs tasks that do not block
     * @param blocking waits for replies of the store
     * @param onWaiting receives the name of a policy when a request waits for it, possibly repeatedly; must not block
     */
    public InFlightEngine(
            EngineState state,
            HoldStore store,
            HoldId.Source ids,
            BanIndex bans,
            ScheduledExecutorService timer,
            Blocking blocking,
            LimitListeners listeners,
            Consumer<String> onWaiting) {
        this(state, store, ids, bans, timer, blocking, listeners, onWaiting, HoldLines.LONGEST_SLEEP_NANOS);
    }

    /** Creates an instance with another longest pause between two attempts of a waiting request, for tests. */
    InFlightEngine(
            EngineState state,
            HoldStore store,
            HoldId.Source ids,
            BanIndex bans,
            ScheduledExecutorService timer,
            Blocking blocking,
            LimitListeners listeners,
            Consumer<String> onWaiting,
            long longestSleepNanos) {
        this.state = state;
        this.store = store;
        this.ids = ids;
        this.bans = bans;
        this.listeners = listeners;
        this.lines = new HoldLines(onWaiting, longestSleepNanos);
        this.keeper = new HoldKeeper(store, timer, blocking, this.listeners, this::freed);
    }

    /** Creates an instance over holds in memory. */
    public static InFlightEngine inMemory(
            MemoryHolds holds, BanIndex bans, LimitListeners listeners, EngineState state) {
        return new InFlightEngine(
                state, holds, new HoldId.Source(), bans, TimedWait.TIMER, Blocking.NEVER, listeners, policy -> {});
    }

    /** Wakes requests that wait for permits in a {@linkplain HoldStore place}, where this process or another one has released some. */
    public void freed(String place, long permits) {
        lines.freed(place, permits);
    }

    /** Wakes the requests that wait under a policy, because its limits may have changed, or messages about releases may be lost. */
    public void changed(String policy) {
        lines.policyChanged(policy);
    }

    /** The number of requests that wait for holds. */
    public int waiting() {
        return lines.waiting();
    }

    /** The permits of the holds of this engine, except those with tickets. */
    public long heldPermits() {
        return keeper.permits();
    }

    /** Releases all holds without tickets, within two seconds, and ends all waits. The state must be closed first. */
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

    /**
     * Returns the attributes of a request.
     *
     * @throws IllegalArgumentException if the request has a request id, or a single id that the policy does not take
     */
    static Attributes attributes(InFlightPolicy policy, PermitRequest request) {
        return RequestIds.requireNone("an in-flight limiter", request).attributesFor(policy);
    }

    /** Adds a waiting request to its line, and returns its future. */
    HoldWait waiting(
            InFlightPolicy policy,
            Attributes attributes,
            long permits,
            Duration maxWait,
            Supplier<CompletableFuture<Hold>> attempt) {
        Bounds.heldPermits(permits);
        long deadlineNanos = System.nanoTime() + Bounds.maxWaitNanos(maxWait);
        HoldWait wait = new HoldWait(policy.name(), store.places(policy, attributes), permits, attempt, deadlineNanos);
        Hold banned = banned(new HoldRequest(policy, attributes, permits));
        if (banned != null) {
            wait.complete(banned);
        } else {
            lines.enter(wait);
        }
        return wait;
    }

    /** Returns the denial of a banned request, which is reported to listeners; null if its rules decide. */
    private @Nullable Hold banned(HoldRequest request) {
        FoundBan ban = state.isClosed() ? null : bans.findBan(request.policy().name(), request.attributes());
        if (ban == null) {
            return null;
        }
        Hold denied = DeniedHold.banned(request.policy(), ban);
        listeners.onHold(request.policy(), request.attributes(), request.permits(), denied, 0);
        return denied;
    }

    /** Creates the hold of a granted request. */
    interface HoldFactory {

        /**
         * Creates the hold.
         *
         * @param sentNanos when the call was sent
         */
        Hold of(HoldStore.Taken taken, long sentNanos);
    }

    /** Makes one attempt for a hold that this engine keeps. If the future was cancelled by the time of the grant, the hold is released. */
    CompletableFuture<Hold> acquire(HoldRequest request, List<String> places) {
        if (state.isClosed()) {
            return state.failed();
        }
        PlacedHold placed = new PlacedHold(
                request.policy().name(),
                ids.next(),
                request.permits(),
                places,
                request.policy().fallback());
        if (keeper.isFull()) {
            return CompletableFuture.failedFuture(failed(
                    request,
                    new LimiterException(
                            "hold",
                            "of policy " + request.policy().name(),
                            "this engine has " + HoldKeeper.MAX_HOLDS + " holds; no permit was taken",
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
     * Makes one attempt. If the future was cancelled by the time of the grant, the hold is released.
     *
     * @param sentPolicy the policy as the store receives it: with the lease of this request
     */
    CompletableFuture<Hold> acquire(
            HoldRequest request, InFlightPolicy sentPolicy, PlacedHold placed, HoldFactory factory) {
        if (state.isClosed()) {
            return state.failed();
        }
        Hold banned = banned(request);
        if (banned != null) {
            return CompletableFuture.completedFuture(banned);
        }
        CompletableFuture<Hold> answer = new CompletableFuture<>();
        long sentNanos = System.nanoTime();
        store.acquire(sentPolicy, placed).whenComplete((taken, problem) -> {
            try {
                if (taken == null) {
                    failed(request, sentPolicy, placed, answer, problem);
                } else {
                    if (taken.inDoubt()) {
                        keeper.releaseIfHeld(placed, sentPolicy.lease());
                    }
                    Hold hold =
                            taken.allowed() ? factory.of(taken, sentNanos) : DeniedHold.of(taken.inFlight(), placed);
                    // At least 1 for a call: 0 means that none was sent.
                    answered(request, hold, answer, taken.isLocal() ? 0 : Math.max(1, System.nanoTime() - sentNanos));
                }
            } catch (RuntimeException | Error e) {
                // For example if the engine was closed meanwhile. Otherwise the future would never complete.
                answer.completeExceptionally(e);
            }
        });
        return answer;
    }

    private void answered(HoldRequest request, Hold hold, CompletableFuture<Hold> answer, long elapsedNanos) {
        listeners.onHold(request.policy(), request.attributes(), request.permits(), hold, elapsedNanos);
        if (!answer.complete(hold)) {
            hold.close();
        }
    }

    private void failed(
            HoldRequest request,
            InFlightPolicy sentPolicy,
            PlacedHold placed,
            CompletableFuture<Hold> answer,
            @Nullable Throwable problem) {
        Throwable cause = Causes.of(problem);
        // A closed engine fails with an exception of its own, whose cause states whether permits may be held.
        Throwable ofCall = cause instanceof IllegalStateException ? cause.getCause() : cause;
        if (ofCall instanceof LimiterException failure && failure.mayBeCharged()) {
            keeper.releaseIfHeld(placed, sentPolicy.lease());
        }
        if (cause instanceof LimiterException failure) {
            listeners.onHoldFailure(request.policy(), request.attributes(), request.permits(), failure);
        }
        answer.completeExceptionally(cause);
    }

    private LimiterException failed(HoldRequest request, LimiterException failure) {
        listeners.onHoldFailure(request.policy(), request.attributes(), request.permits(), failure);
        return failure;
    }

    /**
     * Releases the hold of a ticket, with retries; completes with whether it was held. Another instance may have renewed it with
     * another lease, so the longest allowed lease is assumed.
     */
    CompletionStage<Boolean> release(PlacedHold placed) {
        if (state.isClosed()) {
            return state.failed();
        }
        return keeper.releaseIfHeld(placed, Bounds.MAX_HOLD_LEASE).thenApply(Released::wasHeld);
    }

    /** Releases all holds in a place. */
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
