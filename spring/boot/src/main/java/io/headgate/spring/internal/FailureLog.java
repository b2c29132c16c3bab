package io.headgate.spring.internal;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** Logs failures of a route or an annotation while it decides, at most once a minute. Safe for use by any number of threads. */
public final class FailureLog {

    private static final Log LOG = LogFactory.getLog("io.headgate.spring");
    private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final String subject;
    private final LongSupplier nanoTime;
    private final AtomicLong nextNanos;
    private final AtomicLong suppressed = new AtomicLong();

    /**
     * Creates a log.
     *
     * @param subject what fails, for example the property of a route
     */
    public FailureLog(String subject) {
        this(subject, System::nanoTime);
    }

    /**
     * Creates a log.
     *
     * @param subject what fails, for example the property of a route
     * @param nanoTime as {@link System#nanoTime()}
     */
    FailureLog(String subject, LongSupplier nanoTime) {
        this.subject = subject;
        this.nanoTime = nanoTime;
        this.nextNanos = new AtomicLong(nanoTime.getAsLong());
    }

    /**
     * Logs a failure, unless one was logged in the last minute.
     *
     * @param setting the setting that failed, for example {@code .policy}
     * @param consequence what happens to the request, for example {@code the request is not limited}
     */
    public void failed(String setting, String consequence, Throwable failure) {
        long now = nanoTime.getAsLong();
        long next = nextNanos.get();
        if (now - next >= 0 && nextNanos.compareAndSet(next, now + INTERVAL_NANOS)) {
            long more = suppressed.getAndSet(0);
            LOG.warn(
                    subject + setting + " failed; " + consequence
                            + (more == 0 ? "" : ". " + more + " earlier failures were not logged"),
                    failure);
        } else {
            suppressed.incrementAndGet();
        }
    }
}
