package io.headgate.limits.internal.inflight;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Splits holds into batches, so that no call occupies the store for long. */
public final class HoldBatches {

    /**
     * The most {@linkplain PlacedHold#entries entries} that one call renews or releases. A single hold that has more entries, at most 1600,
     * is a batch of its own.
     */
    static final int MOST_ENTRIES = 500;

    private HoldBatches() {}

    /** Returns the batches, in the order of the holds. */
    public static List<List<PlacedHold>> of(List<PlacedHold> all) {
        return of(all, hold -> hold);
    }

    static <T> List<List<T>> of(List<T> all, Function<T, PlacedHold> hold) {
        List<List<T>> batches = new ArrayList<>();
        List<T> batch = new ArrayList<>();
        long entries = 0;
        for (T one : all) {
            long more = hold.apply(one).entries();
            if (!batch.isEmpty() && entries + more > MOST_ENTRIES) {
                batches.add(batch);
                batch = new ArrayList<>();
                entries = 0;
            }
            batch.add(one);
            entries += more;
        }
        if (!batch.isEmpty()) {
            batches.add(batch);
        }
        return batches;
    }
}
