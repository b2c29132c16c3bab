package io.headgate.redis.capacity;

/**
 * What the requests to one policy that have an id take of a Redis beyond those that have none, as {@link CapacityPlan} tells it.
 *
 * @param policy its name
 * @param keys under which answers are kept: those of a horizon
 * @param bytes memory of those, without the tables of the dictionaries
 * @param commandsPerSecond that scripts call to find an answer and to keep one
 * @param bytesInPerSecond sent to Redis for them
 * @param bytesOutPerSecond replied to them
 */
public record RequestIdCapacity(
        String policy,
        double keys,
        double bytes,
        double commandsPerSecond,
        double bytesInPerSecond,
        double bytesOutPerSecond) {}
