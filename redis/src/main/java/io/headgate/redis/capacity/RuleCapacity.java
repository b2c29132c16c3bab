package io.headgate.redis.capacity;

/**
 * What one rule takes of a Redis, as {@link CapacityPlan} tells it.
 *
 * @param policy its policy's name
 * @param rule its name
 * @param peakKeys keys when each id has one
 * @param peakBytes memory of those keys when every window is full, without the tables of the dictionaries
 * @param averageKeys keys at the given rate
 * @param averageBytes memory of those, without the tables
 * @param admittedShare of the requests that it would admit if it were alone: from 0 to 1
 * @param commandsPerSecond that scripts call for it
 * @param bytesInPerSecond its part of what is sent to Redis
 * @param bytesOutPerSecond its part of what Redis replies
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
