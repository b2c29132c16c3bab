package io.headgate.limits.internal.inflight;

import io.headgate.limits.Attributes;
import io.headgate.limits.InFlight;
import io.headgate.limits.InFlightPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The store of the holds of an engine, which expires them by its own clock. A place is a rule together with the ids that it counts.
 * Calls identify holds by their ids, so a repeated request or release has no further effect. All holds of a call have the same policy and
 * fallback.
 */
public interface HoldStore {

    /** A time in microseconds that is never reached: the largest integer that a script represents exactly. */
    long NEVER = (1L << 53) - 1;

    /**
     * The result of a request.
     *
     * @param allowed whether permits were granted
     * @param inDoubt whether the store may have granted the permits although the request was denied; then the caller must release them
     * @param isLocal whether this process decided immediately, without a call to the store
     */
    record Taken(boolean allowed, InFlight inFlight, boolean inDoubt, boolean isLocal) {

        /** Creates the result of a call to which the store replied. */
        public Taken(boolean allowed, InFlight inFlight) {
            this(allowed, inFlight, false, false);
        }
    }

    /**
     * Returns the places of a request: one for each rule, in the order of the policy.
     *
     * @throws IllegalArgumentException if a dimension is missing
     */
    List<String> places(InFlightPolicy policy, Attributes attributes);

    /** Whether requests and peeks under the policy always receive a result within the timeout, never an exception. */
    default boolean answersInAnyCase(InFlightPolicy policy) {
        return false;
    }

    /** Grants the permits of a hold in all its places, or in none. If the hold was already granted, nothing changes. */
    CompletionStage<Taken> acquire(InFlightPolicy policy, PlacedHold hold);

    /** Returns the number of permits that are held in these places. */
    CompletionStage<InFlight> peek(InFlightPolicy policy, List<String> places);

    /** Renews holds: their lease starts again from now. Completes with whether each hold was held in all its places. */
    default CompletionStage<boolean[]> renew(Duration lease, List<PlacedHold> holds) {
        return renew(lease, NEVER, holds);
    }

    /**
     * Renews holds, but none beyond the end, which is in microseconds since 1970. Completes with whether each was held in all its places.
     */
    CompletionStage<boolean[]> renew(Duration lease, long endsMicros, List<PlacedHold> holds);

    /** Releases holds; completes with the result for each hold, in their order. */
    CompletionStage<List<Released>> release(List<PlacedHold> holds);

    /** Releases all holds in a place; completes with whether there were any. */
    CompletionStage<Boolean> reset(String policy, String place);
}
