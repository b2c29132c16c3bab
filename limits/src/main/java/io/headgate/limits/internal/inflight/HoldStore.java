package io.headgate.limits.internal.inflight;

import io.headgate.limits.Attributes;
import io.headgate.limits.InFlight;
import io.headgate.limits.InFlightPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Where the holds of an engine are kept, and by whose clock they expire. A place is a rule with the ids that it counts; what
 * is held there is told by ids of holds, so a call that is made twice does nothing the second time.
 */
public interface HoldStore {

    /** A time in microseconds that does not come: the last that scripts count exactly. */
    long NEVER = (1L << 53) - 1;

    /**
     * What came of a request.
     *
     * @param allowed whether permits were taken
     * @param inDoubt whether they may have been taken though they were not allowed, so that they are to be given back
     */
    record Taken(boolean allowed, InFlight inFlight, boolean inDoubt) {

        /** What surely came of it. */
        public Taken(boolean allowed, InFlight inFlight) {
            this(allowed, inFlight, false);
        }
    }

    /**
     * The places of a request: one for each rule.
     *
     * @throws IllegalArgumentException when a dimension is missing
     */
    List<String> places(InFlightPolicy policy, Attributes attributes);

    /** Whether who asks for a hold under the policy, or looks, is answered soon and without an exception, whatever happens. */
    default boolean answersInAnyCase(InFlightPolicy policy) {
        return false;
    }

    /** Takes the permits in all places, or in none; of a hold that is there already it takes none. */
    CompletionStage<Taken> acquire(InFlightPolicy policy, PlacedHold hold);

    /** What is held in these places. */
    CompletionStage<InFlight> peek(InFlightPolicy policy, List<String> places);

    /** Has holds that are held last for the lease from now on; says of each whether it was held in all places. */
    default CompletionStage<boolean[]> renew(String policy, Duration lease, List<PlacedHold> holds) {
        return renew(policy, lease, NEVER, holds);
    }

    /** The same, but none of them for longer than until then. */
    CompletionStage<boolean[]> renew(String policy, Duration lease, long endsMicros, List<PlacedHold> holds);

    /** Gives holds back; says of each, in their order, what was given back where. */
    CompletionStage<List<Released>> release(String policy, List<PlacedHold> holds);

    /** Gives back all that is held in a place; says whether anything was there. */
    CompletionStage<Boolean> reset(String policy, String place);
}
