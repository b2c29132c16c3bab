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

/** Fails to release on request, else acts like the store in memory; counts the requests for permits. */
final class FailingHolds implements HoldStore {

    private final HoldStore holds;
    private final BooleanSupplier releaseFails;
    private final AtomicLong acquired = new AtomicLong();
    private volatile @Nullable RuntimeException acquireFails;

    FailingHolds(HoldStore holds, BooleanSupplier releaseFails) {
        this.holds = holds;
        this.releaseFails = releaseFails;
    }

    /** Takes permits from now on, and fails with this exception all the same. */
    void takeAndFailWith(RuntimeException failure) {
        acquireFails = failure;
    }

    long acquired() {
        return acquired.get();
    }

    @Override
    public List<String> places(InFlightPolicy policy, Attributes attributes) {
        return holds.places(policy, attributes);
    }

    @Override
    public CompletionStage<Taken> acquire(InFlightPolicy policy, PlacedHold hold) {
        acquired.incrementAndGet();
        RuntimeException failure = acquireFails;
        return failure == null
                ? holds.acquire(policy, hold)
                : holds.acquire(policy, hold).thenCompose(taken -> CompletableFuture.failedFuture(failure));
    }

    @Override
    public CompletionStage<InFlight> peek(InFlightPolicy policy, List<String> places) {
        return holds.peek(policy, places);
    }

    @Override
    public CompletionStage<boolean[]> renew(String policy, Duration lease, long endsMicros, List<PlacedHold> placed) {
        return holds.renew(policy, lease, endsMicros, placed);
    }

    @Override
    public CompletionStage<List<Released>> release(String policy, List<PlacedHold> placed) {
        return releaseFails.getAsBoolean()
                ? CompletableFuture.failedFuture(new LimiterException("release", policy, "gone", false, null))
                : holds.release(policy, placed);
    }

    @Override
    public CompletionStage<Boolean> reset(String policy, String place) {
        return holds.reset(policy, place);
    }
}
