package io.headgate.limits.internal.inflight;

import io.headgate.limits.Fallback;
import java.util.List;
import java.util.Optional;

/**
 * A hold as a store knows it.
 *
 * @param id its id
 * @param permits how many it has of each rule
 * @param places where: one for each rule of its policy
 * @param fallback what its policy says is answered where the store can't be asked; none for what the engine says
 */
public record PlacedHold(HoldId id, long permits, List<String> places, Optional<Fallback> fallback) {

    /** How many entries it is in a store. */
    public long entries() {
        return permits * places.size();
    }
}
