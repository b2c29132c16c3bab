package io.headgate.redis.capacity;

import java.util.List;

/**
 * What a policy of in-flight limits takes of a Redis, as {@link CapacityPlan} tells it.
 *
 * @param policy its name
 * @param rules each rule, in their order
 * @param admittedShare of the requests, by all rules together: from 0 to 1; all others are denied
 * @param heldPermits how many permits are held at once, on average
 * @param takesPerSecond calls that ask for a hold
 * @param releasesPerSecond calls that give one back
 * @param renewalsPerSecond holds whose lease is renewed
 * @param renewingCallsPerSecond calls that do this, each for many holds
 * @param commandsPerSecond that Redis runs for all of it, those of the rules included
 * @param bytesInPerSecond sent to Redis for all of it
 * @param bytesOutPerSecond replied to all of it
 */
public record InFlightCapacity(
        String policy,
        List<RuleCapacity> rules,
        double admittedShare,
        double heldPermits,
        double takesPerSecond,
        double releasesPerSecond,
        double renewalsPerSecond,
        double renewingCallsPerSecond,
        double commandsPerSecond,
        double bytesInPerSecond,
        double bytesOutPerSecond) {

    /** Keeps the rules as they are. */
    public InFlightCapacity {
        rules = List.copyOf(rules);
    }

    /** All calls a second. */
    public double roundTripsPerSecond() {
        return takesPerSecond + releasesPerSecond + renewingCallsPerSecond;
    }
}
