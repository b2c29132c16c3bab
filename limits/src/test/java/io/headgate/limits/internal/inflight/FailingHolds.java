package io.headgate.limits.internal.inflight;

import io.headgate.limits.Attributes;
import io.headgate.limits.InFlight;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.LimiterException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A store of holds in memory whose calls can fail, or reply like a remote store. It counts the attempts to acquire a hold. */
final class FailingHolds implements HoldStore {

    private final HoldStore holds;
    private final BooleanSupplier releaseFails;
    private final AtomicLong attempts = new AtomicLong();
    private volatile @Nullable RuntimeException acquireFailure;
    private volatile boolean isRemote;

    FailingHolds(HoldStore holds, BooleanSupplier releaseFails) {
        this.holds = holds;
        this.releaseFails = releaseFails;
    }

    /** From now on, requests take their permits but then fail with this exception. */
    void takeAndFailWith(RuntimeException failure) {
        acquireFailure = failure;
    }

    /** From now on, requests are reported as remote calls, although they complete before they return. */
    void replyLikeRemote() {
        isRemote = true;
    }

    long attempts() {
        return attempts.get();
    }

    @Override
    public List<String> places(InFlightPolicy policy, Attributes attributes) {
        return holds.places(policy, attributes);
    }

    @Override
    public CompletionStage<Taken> acquire(InFlightPolicy policy, PlacedHold hold) {
        attempts.incrementAndGet();
        RuntimeException failure = acquireFailure;
        if (failure == null && isRemote) {
            // This constructor sets isLocal to false.
            return holds.acquire(policy, hold).thenApply(taken -> new Taken(taken.allowed(), taken.inFlight()));
        }
        return failure == null
                ? holds.acquire(policy, hold)
                : holds.acquire(policy, hold).thenCompose(taken -> CompletableFuture.failedFuture(failure));
    }

    @Override
    public CompletionStage<InFlight> peek(InFlightPolicy policy, List<String> places) {
        return holds.peek(policy, places);
    }

    @Override
    public CompletionStage<boolean[]> renew(Duration lease, long endsMicros, List<PlacedHold> placed) {
        return holds.renew(lease, endsMicros, placed);
    }

    @Override
    public CompletionStage<List<Released>> release(List<PlacedHold> placed) {
        return releaseFails.getAsBoolean()
                // Nothing may be charged, and there is no cause.
                ? CompletableFuture.failedFuture(
                        new LimiterException("release", placed.get(0).policy(), "gone", false, null))
                : holds.release(placed);
    }

    @Override
    public CompletionStage<Boolean> reset(String policy, String place) {
        return holds.reset(policy, place);
    }
}
