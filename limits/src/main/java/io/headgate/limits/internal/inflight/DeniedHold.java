package io.headgate.limits.internal.inflight;

import io.headgate.limits.Hold;
import io.headgate.limits.InFlight;
import io.headgate.limits.InFlightCount;
import io.headgate.limits.InFlightRule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The hold of a denied request.
 *
 * @param rule the first rule that denied it
 * @param full the {@linkplain HoldStore places} of all rules that denied it, as they lack enough free permits
 * @param nextExpiryNanos the time until the first lease expires in one of these places; {@link Long#MAX_VALUE} if there is none
 */
record DeniedHold(InFlight inFlight, InFlightRule rule, List<String> full, long nextExpiryNanos) implements Hold {

    static DeniedHold of(InFlight inFlight, PlacedHold requested) {
        List<String> full = new ArrayList<>();
        // The default: permits may have become free between the denial and the count.
        InFlightRule first = inFlight.tightest().rule();
        long nextExpiryNanos = Long.MAX_VALUE;
        for (int i = inFlight.rules().size() - 1; i >= 0; i--) {
            InFlightCount count = inFlight.rules().get(i);
            if (count.free() < requested.permits()) {
                full.add(requested.places().get(i));
                first = count.rule();
                long expiryNanos = count.nextExpiry().map(Duration::toNanos).orElse(Long.MAX_VALUE);
                nextExpiryNanos = Math.min(nextExpiryNanos, expiryNanos);
            }
        }
        return new DeniedHold(inFlight, first, List.copyOf(full), nextExpiryNanos);
    }

    @Override
    public boolean allowed() {
        return false;
    }

    @Override
    public Optional<InFlightRule> deniedBy() {
        return Optional.of(rule);
    }

    @Override
    public boolean isLost() {
        return false;
    }

    @Override
    public void onLost(Runnable what) {
        // A denied hold is never lost.
    }

    @Override
    public boolean release() {
        return false;
    }

    @Override
    public CompletionStage<Boolean> releaseAsync() {
        return CompletableFuture.completedFuture(false);
    }

    @Override
    public void close() {
        // There is nothing to release.
    }
}
