package io.headgate.redis.capacity;

/**
 * What one rule needs in Redis; part of a {@link CapacityPlan}.
 *
 * @param policy the name of its policy
 * @param rule the name of the rule
 * @param peakKeys the number of keys when each id has one
 * @param peakBytes the memory of these keys when every window is full, without the tables of the dictionaries
 * @param averageKeys the mean number of keys at the given rate
 * @param averageBytes the mean memory of these keys, without the tables of the dictionaries
 * @param admittedShare the share of the requests that this rule alone would admit: 0 to 1
 * @param commandsPerSecond commands that scripts call for this rule
 * @param bytesInPerSecond the bytes sent to Redis for this rule
 * @param bytesOutPerSecond the bytes sent by Redis for this rule
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
