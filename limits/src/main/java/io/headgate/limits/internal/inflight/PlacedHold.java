package io.headgate.limits.internal.inflight;

import io.headgate.limits.Fallback;
import java.util.List;
import java.util.Optional;

/**
 * A hold with the {@linkplain HoldStore places} in which a store keeps it.
 *
 * @param policy the name of its policy
 * @param permits the permits that the hold has under each rule
 * @param places one place for each rule that counts it
 * @param fallback the fallback of its policy, as of the grant or, for a ticket, of this call; empty for the fallback of the engine
 */
public record PlacedHold(String policy, HoldId id, long permits, List<String> places, Optional<Fallback> fallback) {

    /** Returns the number of entries of this hold in a store: one for each permit in each place. */
    public long entries() {
        return permits * places.size();
    }
}
