package io.headgate.redis.capacity;

/**
 * A part of what a queue keeps in Redis, as {@link QueuePlan} tells it.
 *
 * @param name what it is: {@code header}, {@code ready}, {@code waiting}, {@code claimed}, {@code dead letters}, {@code
 *     done}, {@code job keys}, {@code locations}, {@code queue names}, which all queues share, or {@code tables}, the table of Redis's own dictionary
 * @param peakKeys keys of Redis that it has at the peak
 * @param peakEntries how many jobs, keys of jobs or places lie there at the peak
 * @param peakBytes its memory at the peak
 * @param averageKeys keys of Redis on average
 * @param averageEntries how many lie there on average
 * @param averageBytes its memory on average
 */
public record QueueContent(
        String name,
        int peakKeys,
        double peakEntries,
        double peakBytes,
        int averageKeys,
        double averageEntries,
        double averageBytes) {}
