package io.headgate.queues;

import io.headgate.queues.internal.JobBounds;
import java.time.Duration;

/**
 * How many jobs that are done a queue keeps, and for how long. For as long as one is kept, its key is its own: {@link
 * NewJob#once} answers that it is there. Those that are too many or too old go by and by, as jobs are claimed and done.
 *
 * @param max how many at most: 1 to 10 000 000; 0 for none
 * @param time for how long at most: 1 ms to 3660 days; 0 for none
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

    /** None. */
    public static KeepDone none() {
        return new KeepDone(0, Duration.ZERO);
    }

    /** Those of the last 1 ms to 3660 days; of these, the newest 10 000 000. */
    public static KeepDone forTime(Duration time) {
        return new KeepDone(MAX, time);
    }

    /** The newest 1 to 10 000 000, for up to 3660 days. */
    public static KeepDone newest(long max) {
        return new KeepDone(max, JobBounds.MAX_DELAY);
    }

    /** Whether any are kept. */
    public boolean isAny() {
        return max > 0;
    }
}
