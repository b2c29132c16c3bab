package io.headgate.redis.capacity;

/**
 * What one rule needs in Redis; part of a {@link CapacityPlan}.
 *
 * @param policy the name of its policy
 * @param rule its name
 * @param peakKeys keys when each id has one
 * @param peakBytes memory of those keys when every window is full, without the tables of the dictionaries
 * @param averageKeys keys at the given rate
 * @param averageBytes memory of those, without the tables
 * @param admittedShare the share of the requests that it would admit alone: 0 to 1
 * @param commandsPerSecond commands that scripts call for it
 * @param bytesInPerSecond its part of the bytes sent to Redis
 * @param bytesOutPerSecond its part of the bytes sent by Redis
 */
public record RuleCapacity(
        String policy,
        String rule,
        long peakKeys,
        long peakBytes,
        double averageKeys,
        double averageBytes,
        double admittedShare,
        double commandsPerSecond,
        double bytesInPerSecond,
        double bytesOutPerSecond) {}
