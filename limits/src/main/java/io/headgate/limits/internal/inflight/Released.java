package io.headgate.limits.internal.inflight;

import java.util.List;
import java.util.function.BiConsumer;

/**
 * What came of giving a hold back.
 *
 * @param hold the one that was meant, by its id. Who names it may be wrong about the rest
 * @param permits how many were given back in each of its places: 0 where it was not held
 * @param inDoubt whether it may still be held elsewhere, so that it is to be given back again
 */
public record Released(PlacedHold hold, List<Integer> permits, boolean inDoubt) {

    /** Copies the list. */
    public Released {
        permits = List.copyOf(permits);
    }

    /** One that surely is not held any more. */
    public Released(PlacedHold hold, List<Integer> permits) {
        this(hold, permits, false);
    }

    /** Whether it was held in all of its places until now. */
    public boolean wasHeld() {
        return !permits.contains(0);
    }

    /** Tells each place in which permits were given back, and how many. */
    void tell(BiConsumer<String, Long> freed) {
        for (int i = 0; i < permits.size(); i++) {
            if (permits.get(i) > 0) {
                freed.accept(hold.places().get(i), (long) permits.get(i));
            }
        }
    }
}
