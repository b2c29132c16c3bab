package io.headgate.queues.worker;

import io.headgate.queues.internal.JobBounds;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How often a failed job is retried, with exponential backoff and jitter. A job waits for {@code base} after its first failure, and
 * twice as long after each further one, up to {@code longest}. Each wait is shortened by a random share of up to {@code jitter}, so that
 * jobs which failed together are not retried together.
 *
 * @param attempts how often a job is attempted before it becomes a dead letter: 1 to 255
 * @param base the wait after the first failure: 0 to 3660 days
 * @param longest the longest wait: from {@code base} to 3660 days
 * @param jitter the largest share by which a wait is shortened: 0 to 1
 */
public record RetryPolicy(int attempts, Duration base, Duration longest, double jitter) {

    /**
     * The default policy of a worker: 10 attempts, a base of 1 second, a longest wait of 10 minutes, and a jitter of 0.2. A job that
     * always fails becomes a dead letter after about 7 to 9 minutes of waits.
     */
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

    /** Returns a policy of one attempt: a job that fails once becomes a dead letter. */
    public static RetryPolicy none() {
        return new RetryPolicy(1, Duration.ZERO, Duration.ZERO, 0);
    }

    /** Returns the same policy with another number of attempts: 1 to 255. */
    public RetryPolicy withAttempts(int max) {
        return new RetryPolicy(max, base, longest, jitter);
    }

    /** Returns the same policy with another first and longest wait. */
    public RetryPolicy withWaits(Duration first, Duration last) {
        return new RetryPolicy(attempts, first, last, jitter);
    }

    /**
     * Returns how long a job waits for its next attempt after this number of failures, at least 1. The result is random within
     * the jitter.
     */
    public Duration waitAfter(int failures) {
        Duration wait = waitBeforeJitter(failures);
        long micros = wait.toNanos() / 1000;
        double share = 1 - jitter * ThreadLocalRandom.current().nextDouble();
        return Duration.ofNanos(Math.round(micros * share) * 1000);
    }

    private Duration waitBeforeJitter(int failures) {
        Duration wait = base;
        for (int i = 1; i < failures && wait.compareTo(longest) < 0; i++) {
            wait = wait.multipliedBy(2);
        }
        return wait.compareTo(longest) < 0 ? wait : longest;
    }
}
