package io.headgate.redis.capacity;

/**
 * A part of what a queue stores in Redis; part of a {@link QueuePlan}.
 *
 * @param name the part: {@code header}, {@code ready}, which are jobs that were due when enqueued, {@code waiting}, which are delayed
 *     and retried jobs, even when due, {@code claimed}, {@code dead letters}, {@code done}, {@code job keys}, {@code locations}, by
 *     which retried, dead and kept done jobs are found, {@code queue names}, which all queues share, or
 *     {@code tables}, the table of Redis's own dictionary
 * @param peakKeys its Redis keys at the peak
 * @param peakEntries its jobs, job keys or locations at the peak
 * @param peakBytes its memory at the peak
 * @param averageKeys its Redis keys on average
 * @param averageEntries its entries on average
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
