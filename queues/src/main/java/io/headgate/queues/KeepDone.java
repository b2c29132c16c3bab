package io.headgate.queues;

import io.headgate.queues.internal.JobBounds;
import java.time.Duration;

/**
 * How many done jobs a queue keeps, and how long. While a done job is kept, {@link NewJob#once} with its key returns {@link
 * Enqueued.Outcome#SAME}. Later claims and settlements delete jobs beyond these bounds.
 *
 * @param max the most jobs: 1 to 10 000 000; 0 to keep none, only if {@code time} is 0 too
 * @param time the longest time: 1 ms to 3660 days; 0 to keep none, only if {@code max} is 0 too
 */
public record KeepDone(long max, Duration time) {

    private static final long MAX = 10_000_000;

    /** Checks the ranges. */
    public KeepDone {
        if (max != 0 || !time.isZero()) {
            JobBounds.inRange("number of done jobs to keep", max, 1, MAX);
            JobBounds.keeping(time);
        }
    }

    /** Keeps no done jobs. */
    public static KeepDone none() {
        return new KeepDone(0, Duration.ZERO);
    }

    /** Keeps done jobs for a time: 1 ms to 3660 days. At most the newest 10 000 000 jobs are kept. */
    public static KeepDone forTime(Duration time) {
        return new KeepDone(MAX, time);
    }

    /** Keeps the newest done jobs: 1 to 10 000 000, for up to 3660 days. */
    public static KeepDone newest(long max) {
        return new KeepDone(max, JobBounds.MAX_DELAY);
    }

    /** Returns whether any done jobs are kept. */
    public boolean isAny() {
        return max > 0;
    }
}
