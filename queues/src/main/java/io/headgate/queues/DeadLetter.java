package io.headgate.queues;

import java.time.Instant;

/**
 * A job that failed too often. It is stored, and not delivered.
 *
 * @param job the job; its {@link Job#causes() causes} have the reasons of its last failures
 * @param diedAt when it became a dead letter, by Redis's clock
 * @param <T> the type of the payload
 */
public record DeadLetter<T>(Job<T> job, Instant diedAt) {}
