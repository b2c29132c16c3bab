package io.headgate.redis.capacity;

import java.util.List;

/**
 * What a policy of in-flight limits needs in Redis; part of a {@link CapacityPlan}.
 *
 * @param policy the name of the policy
 * @param rules each rule, in their order
 * @param admittedShare the share of the requests that all rules admit: from 0 to 1
 * @param heldPermits the mean number of held permits
 * @param acquiresPerSecond calls that request a hold
 * @param releasesPerSecond calls that release a hold
 * @param renewalsPerSecond holds whose lease is renewed
 * @param renewingCallsPerSecond calls that renew leases, each of many holds
 * @param commandsPerSecond commands of Redis, including those of the rules
 * @param bytesInPerSecond sent to Redis, including the bytes of the rules
 * @param bytesOutPerSecond sent by Redis, including the bytes of the rules
 */
public record InFlightCapacity(
        String policy,
        List<RuleCapacity> rules,
        double admittedShare,
        double heldPermits,
        double acquiresPerSecond,
        double releasesPerSecond,
        double renewalsPerSecond,
        double renewingCallsPerSecond,
        double commandsPerSecond,
        double bytesInPerSecond,
        double bytesOutPerSecond) {

    /** Copies the list. */
    public InFlightCapacity {
        rules = List.copyOf(rules);
    }

    /** All calls per second. */
    public double roundTripsPerSecond() {
        return acquiresPerSecond + releasesPerSecond + renewingCallsPerSecond;
    }
}
