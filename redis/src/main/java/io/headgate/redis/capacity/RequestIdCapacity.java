package io.headgate.redis.capacity;

/**
 * What request ids need in Redis, for one policy; part of a {@link CapacityPlan}.
 *
 * @param policy the name of the policy
 * @param keys the mean number of keys, one for each decision that is kept
 * @param bytes the memory of these keys, without their share of Redis's hash tables of keys and expiries
 * @param commandsPerSecond commands that scripts call to find and to keep decisions
 * @param bytesInPerSecond sent to Redis because of request ids
 * @param bytesOutPerSecond sent by Redis because of request ids
 */
public record RequestIdCapacity(
        String policy,
        double keys,
        double bytes,
        double commandsPerSecond,
        double bytesInPerSecond,
        double bytesOutPerSecond) {}
