package io.headgate.limits.internal.inflight;

import io.headgate.limits.Attributes;
import io.headgate.limits.InFlight;
import io.headgate.limits.InFlightPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Keeps the holds of an engine, and expires them by its own clock. A place is a rule with the ids that it counts. Calls identify holds
 * by their ids, so a repeated call has no further effect. All holds of a call have the same policy and fallback.
 */
public interface HoldStore {

    /** A time in microseconds that is never reached: the largest that scripts count exactly. */
    long NEVER = (1L << 53) - 1;

    /**
     * The result of a request.
     *
     * @param allowed whether permits were granted
     * @param inDoubt whether they may be granted although the request was denied; then they must be released
     * @param isLocal whether this process decided at once, without a call
     */
    record Taken(boolean allowed, InFlight inFlight, boolean inDoubt, boolean isLocal) {

        /** The result of a call that replied. */
        public Taken(boolean allowed, InFlight inFlight) {
            this(allowed, inFlight, false, false);
        }
    }

    /**
     * The places of a request: one for each rule.
     *
     * @throws IllegalArgumentException when a dimension is missing
     */
    List<String> places(InFlightPolicy policy, Attributes attributes);

    /** Whether requests and peeks under the policy always receive an answer within the timeout, and no exception. */
    default boolean answersInAnyCase(InFlightPolicy policy) {
        return false;
    }

    /** Grants the permits in all places, or in none. A hold that is granted already is not granted again. */
    CompletionStage<Taken> acquire(InFlightPolicy policy, PlacedHold hold);

    /** The permits that are held in these places. */
    CompletionStage<InFlight> peek(InFlightPolicy policy, List<String> places);

    /** Extends holds to the lease from now on; completes with whether each was held in all places. */
    default CompletionStage<boolean[]> renew(Duration lease, List<PlacedHold> holds) {
        return renew(lease, NEVER, holds);
    }

    /** The same, but extends no hold beyond the end, in microseconds since 1970. */
    CompletionStage<boolean[]> renew(Duration lease, long endsMicros, List<PlacedHold> holds);

    /** Releases holds; completes with the released permits of each, in their order. */
    CompletionStage<List<Released>> release(List<PlacedHold> holds);

    /** Releases all holds in a place; completes with whether there were any. */
    CompletionStage<Boolean> reset(String policy, String place);
}
