package io.headgate.queues.worker;

import io.headgate.queues.internal.JobBounds;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How often a job is tried, and how long it waits between: {@code base} after the first failure, twice that after the
 * second, and so on up to {@code longest}, each shortened by a random share of up to {@code jitter}, so that jobs which
 * failed together don't come back together.
 *
 * @param attempts how often a job is tried before it goes to the dead letters: 1 to 255
 * @param base how long it waits after the first failure: 0 to 3660 days
 * @param longest how long it waits at most: from base to 3660 days
 * @param jitter 0 to 1
 */
public record RetryPolicy(int attempts, Duration base, Duration longest, double jitter) {

    /** Ten attempts, with waits from a second to ten minutes, shortened by up to a fifth. */
    public static final RetryPolicy DEFAULT = new RetryPolicy(10, Duration.ofSeconds(1), Duration.ofMinutes(10), 0.2);

    /** Checks the ranges. */
    public RetryPolicy {
        JobBounds.inRange("attempts", attempts, 1, 255);
        JobBounds.delay(base);
        JobBounds.delay(longest);
        if (longest.compareTo(base) < 0) {
            throw new IllegalArgumentException("longest wait must be at least base, " + base + ", was " + longest);
        }
        if (!(jitter >= 0 && jitter <= 1)) {
            throw new IllegalArgumentException("jitter must be from 0 to 1, was " + jitter);
        }
    }

    /** One attempt, and no more. */
    public static RetryPolicy none() {
        return new RetryPolicy(1, Duration.ZERO, Duration.ZERO, 0);
    }

    /** The same, with so many attempts. */
    public RetryPolicy withAttempts(int max) {
        return new RetryPolicy(max, base, longest, jitter);
    }

    /** The same, with other waits. */
    public RetryPolicy withWaits(Duration first, Duration last) {
        return new RetryPolicy(attempts, first, last, jitter);
    }

    /** How long a job waits after so many failures, at least 1, before its next attempt. */
    public Duration waitAfter(int failures) {
        Duration wait = longestOf(failures);
        long micros = wait.toNanos() / 1000;
        double share = 1 - jitter * ThreadLocalRandom.current().nextDouble();
        return Duration.ofNanos(Math.round(micros * share) * 1000);
    }

    private Duration longestOf(int failures) {
        Duration wait = base;
        for (int i = 1; i < failures && wait.compareTo(longest) < 0; i++) {
            wait = wait.multipliedBy(2);
        }
        return wait.compareTo(longest) < 0 ? wait : longest;
    }
}
