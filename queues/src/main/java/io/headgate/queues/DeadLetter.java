package io.headgate.queues;

import java.time.Instant;

/**
 * A job that was given up: kept, and not handed out.
 *
 * @param job the job, as it was last; its {@link Job#causes() causes} say why it was given up
 * @param diedAt when it was given up, by Redis's clock
 * @param <T> what a payload is
 */
public record DeadLetter<T>(Job<T> job, Instant diedAt) {}
