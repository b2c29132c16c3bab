package io.headgate.limits.internal.inflight;

import java.util.List;
import java.util.function.BiConsumer;

/**
 * The result of a release.
 *
 * @param hold the hold as the caller described it; only its id is certain
 * @param permits the permits released in each of its places: 0 where it was not held
 * @param inDoubt whether the hold may still be held elsewhere, so that the release must be repeated
 */
public record Released(PlacedHold hold, List<Integer> permits, boolean inDoubt) {

    /** Copies the list. */
    public Released {
        permits = List.copyOf(permits);
    }

    /** The result if the hold is certainly not held any more. */
    public Released(PlacedHold hold, List<Integer> permits) {
        this(hold, permits, false);
    }

    /** Whether it was held in all of its places until now. */
    public boolean wasHeld() {
        return !permits.contains(0);
    }

    /** Passes each place in which permits were released, and their number. */
    void forEachFreed(BiConsumer<String, Long> freed) {
        for (int i = 0; i < permits.size(); i++) {
            if (permits.get(i) > 0) {
                freed.accept(hold.places().get(i), (long) permits.get(i));
            }
        }
    }
}
