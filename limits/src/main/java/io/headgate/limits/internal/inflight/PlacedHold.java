package io.headgate.limits.internal.inflight;

import io.headgate.limits.Fallback;
import java.util.List;
import java.util.Optional;

/**
 * A hold as a store keeps it.
 *
 * @param policy the name of its policy
 * @param permits the permits that it has of each rule
 * @param places one for each rule of its policy
 * @param fallback the fallback of its policy when the hold was granted; the engine's when empty
 */
public record PlacedHold(String policy, HoldId id, long permits, List<String> places, Optional<Fallback> fallback) {

    /** The number of its entries in a store. */
    public long entries() {
        return permits * places.size();
    }
}
