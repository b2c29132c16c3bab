package io.headgate.limits.internal.inflight;

import java.util.List;
import java.util.function.BiConsumer;

/**
 * The result of releasing one hold.
 *
 * @param hold the hold as the caller described it; only its id is verified
 * @param permits the number of permits released in each of its places; 0 if it was not held there
 * @param inDoubt whether the hold may still be held in some store, so that the release must be retried
 */
public record Released(PlacedHold hold, List<Integer> permits, boolean inDoubt) {

    /** Copies the list. */
    public Released {
        permits = List.copyOf(permits);
    }

    /** Creates the result of a release after which the hold is certainly not held any more. */
    public Released(PlacedHold hold, List<Integer> permits) {
        this(hold, permits, false);
    }

    /** Whether the hold was held in all its places until the release. */
    public boolean wasHeld() {
        return !permits.contains(0);
    }

    /** Calls the consumer with each place in which permits were released, and their number. */
    void forEachFreed(BiConsumer<String, Long> freed) {
        for (int i = 0; i < permits.size(); i++) {
            if (permits.get(i) > 0) {
                freed.accept(hold.places().get(i), (long) permits.get(i));
            }
        }
    }
}
