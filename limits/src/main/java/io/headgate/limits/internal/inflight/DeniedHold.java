package io.headgate.limits.internal.inflight;

import io.headgate.limits.Decision;
import io.headgate.limits.Hold;
import io.headgate.limits.InFlight;
import io.headgate.limits.InFlightCount;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import io.headgate.limits.bans.BanEntry;
import io.headgate.limits.internal.bans.BanIndex.FoundBan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The hold of a denied request.
 *
 * @param deniedBy the first rule that denied it; empty if a ban did
 * @param full the {@linkplain HoldStore places} of all rules that denied it, as they lack enough free permits
 * @param nextExpiryNanos the time until the first lease expires in one of these places; {@link Long#MAX_VALUE} if there is none
 * @param ban the ban that denied it; empty if the rules did
 */
record DeniedHold(
        InFlight inFlight,
        Optional<InFlightRule> deniedBy,
        List<String> full,
        long nextExpiryNanos,
        Optional<BanEntry> ban)
        implements Hold {

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
        return new DeniedHold(inFlight, Optional.of(first), List.copyOf(full), nextExpiryNanos, Optional.empty());
    }

    /** Returns the hold of a request that a ban denies: all permits of the policy count as held. */
    static DeniedHold banned(InFlightPolicy policy, FoundBan ban) {
        List<InFlightCount> counts = policy.rules().stream()
                .map(rule -> new InFlightCount(rule, rule.permits(), Optional.empty()))
                .toList();
        InFlight inFlight = new InFlight(counts, ban.at(), Decision.Basis.BANNED);
        return new DeniedHold(inFlight, Optional.empty(), List.of(), Long.MAX_VALUE, Optional.of(ban.entry()));
    }

    @Override
    public boolean allowed() {
        return false;
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
