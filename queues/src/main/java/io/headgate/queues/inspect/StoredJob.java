package io.headgate.queues.inspect;

import io.headgate.queues.Job;

/**
 * A stored job and its state.
 *
 * @param job the job. Unless it is leased, {@link Job#attempt() attempt} is the number of failed attempts, and {@link
 *     Job#delivery() delivery} the number of deliveries so far, from 0
 * @param state the state of the job
 * @param <T> the type of the payload
 */
public record StoredJob<T>(Job<T> job, JobState state) {}
