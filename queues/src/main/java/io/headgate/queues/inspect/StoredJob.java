package io.headgate.queues.inspect;

import io.headgate.queues.Job;

/**
 * A job as it lies in its queue.
 *
 * @param job the job; unless it is in hand, {@link Job#attempt() attempt} counts the attempts that failed, and {@link
 *     Job#delivery() delivery} how often it was handed out: 0 for one that never was
 * @param state where it is
 * @param <T> what a payload is
 */
public record StoredJob<T>(Job<T> job, JobState state) {}
