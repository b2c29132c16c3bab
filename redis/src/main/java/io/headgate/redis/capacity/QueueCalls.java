package io.headgate.redis.capacity;

/**
 * Calls of one kind that a queue causes, as {@link QueuePlan} tells them.
 *
 * @param name what they are: {@code enqueue}, {@code claim}, {@code empty claim}, {@code settle}, {@code extend} or {@code
 *     signal}, which comes with enqueueing
 * @param roundTripsPerSecond calls; 0 of what comes with others
 * @param commandsPerSecond that Redis runs: script calls, and all that scripts call
 * @param bytesInPerSecond sent to Redis
 * @param bytesOutPerSecond sent by Redis
 */
public record QueueCalls(
        String name,
        double roundTripsPerSecond,
        double commandsPerSecond,
        double bytesInPerSecond,
        double bytesOutPerSecond) {

    /** So many times as many. */
    QueueCalls times(int count) {
        return new QueueCalls(
                name,
                count * roundTripsPerSecond,
                count * commandsPerSecond,
                count * bytesInPerSecond,
                count * bytesOutPerSecond);
    }
}
