package io.headgate.queues.inspect;

import java.time.Duration;
import java.util.Optional;

/**
 * How many jobs of a queue are in which state, at one instant.
 *
 * @param ready due, and nobody has them
 * @param delayed not due yet
 * @param leased in somebody's hands
 * @param dead dead letters
 * @param done done, and kept for some time or number
 * @param paused whether nothing is handed out
 * @param oldestDue how long the oldest ready job has been due; empty when none is
 */
public record QueueCounts(
        long ready, long delayed, long leased, long dead, long done, boolean paused, Optional<Duration> oldestDue) {}
