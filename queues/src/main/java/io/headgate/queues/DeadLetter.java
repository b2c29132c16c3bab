package io.headgate.queues;

import java.time.Instant;

/**
 * A job that failed too often, or that was moved to the dead letters. It is stored, but not delivered.
 *
 * @param job the job; its {@link Job#causes() causes} are the reasons of its last failures, its {@link Job#attempt() attempt} is the
 *     number of failed attempts, and its {@link Job#delivery() delivery} the number of deliveries
 * @param diedAt when it became a dead letter, by Redis's clock
 * @param <T> the type of the payload
 */
public record DeadLetter<T>(Job<T> job, Instant diedAt) {}
