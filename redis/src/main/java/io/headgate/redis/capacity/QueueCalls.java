package io.headgate.redis.capacity;

/**
 * The calls of one kind for a queue; part of a {@link QueuePlan}.
 *
 * @param name the kind: {@code enqueue}, {@code claim}, {@code empty claim}, {@code settle}, {@code extend} or {@code
 *     signal}, which is part of enqueueing
 * @param roundTripsPerSecond calls; 0 if they are part of other calls
 * @param commandsPerSecond script calls, and the commands that the scripts call
 * @param bytesInPerSecond sent to Redis
 * @param bytesOutPerSecond sent by Redis
 */
public record QueueCalls(
        String name,
        double roundTripsPerSecond,
        double commandsPerSecond,
        double bytesInPerSecond,
        double bytesOutPerSecond) {

    /** Returns the calls of that number of shards. */
    QueueCalls times(int count) {
        return new QueueCalls(
                name,
                count * roundTripsPerSecond,
                count * commandsPerSecond,
                count * bytesInPerSecond,
                count * bytesOutPerSecond);
    }
}
