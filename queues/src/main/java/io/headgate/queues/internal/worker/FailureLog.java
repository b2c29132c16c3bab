package io.headgate.queues.internal.worker;

import io.headgate.queues.JobId;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Logs the failures of a worker's handler with their stack traces: important ones as warnings, at most ten in any minute, all others
 * at the debug level. Safe for use by several threads; throws no exception.
 */
final class FailureLog {

    static final int MAX_WARNINGS = 10;
    static final long WINDOW_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final Logger LOG = System.getLogger("io.headgate.queues.worker.Worker");

    private final String source;
    private final LongSupplier nanoTime;
    private final ReentrantLock lock = new ReentrantLock();

    /** When the last warnings were logged, the oldest at {@code warnings % MAX_WARNINGS}. Guarded by the lock, as are the fields below. */
    private final long[] warnedAt = new long[MAX_WARNINGS];

    private long warnings;
    private long suppressed;

    /**
     * Creates the log of a worker.
     *
     * @param source the name of the source of jobs, such as {@code queue mails}
     */
    FailureLog(String source, LongSupplier nanoTime) {
        this.source = source;
        this.nanoTime = nanoTime;
    }

    /** Logs a failure as a warning, or at the debug level after {@link #MAX_WARNINGS} warnings within a minute. */
    void warn(JobId id, String what, Throwable failure) {
        // How many failures before this one were not logged as warnings; -1 if this one is not either.
        long before;
        lock.lock();
        try {
            long now = nanoTime.getAsLong();
            int oldest = (int) (warnings % MAX_WARNINGS);
            if (warnings >= MAX_WARNINGS && now - warnedAt[oldest] < WINDOW_NANOS) {
                suppressed++;
                before = -1;
            } else {
                warnedAt[oldest] = now;
                warnings++;
                before = suppressed;
                suppressed = 0;
            }
        } finally {
            lock.unlock();
        }
        if (before < 0) {
            debug(id, what, failure);
        } else {
            String more =
                    before == 0 ? "" : " (and " + before + " failures before it that were not logged as warnings)";
            log(Level.WARNING, id, what + more, failure);
        }
    }

    /** Logs a failure at the debug level. */
    void debug(JobId id, String what, Throwable failure) {
        log(Level.DEBUG, id, what, failure);
    }

    private void log(Level level, JobId id, String what, Throwable failure) {
        try {
            LOG.log(level, () -> "job " + id + " of " + source + ": " + what, failure);
        } catch (Throwable e) {
            // A logger calls methods of the failure, which may throw. The job must be settled even so.
        }
    }
}
