package io.headgate.spring.internal;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** Logs what happens to a route or an annotation while it decides: failures and events at most once a minute each. Safe for use by any number of threads. */
public final class FailureLog {

    private static final Log LOG = LogFactory.getLog("io.headgate.spring");
    private static final int MAX_PROBLEMS = 100;
    private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final String subject;
    private final LongSupplier nanoTime;
    private final AtomicLong nextNanos;
    private final AtomicLong nextEventNanos;
    private final Set<String> problems = ConcurrentHashMap.newKeySet();
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
        this.nextEventNanos = new AtomicLong(nextNanos.get());
    }

    /**
     * Logs a problem once.
     *
     * @param setting the setting that has it, for example {@code .by}
     */
    public void warnOnce(String setting, String problem) {
        if (problems.size() < MAX_PROBLEMS && problems.add(setting + problem)) {
            LOG.warn(subject + setting + " " + problem);
        }
    }

    /**
     * Logs an event that is no failure, unless one was logged in the last minute.
     *
     * @param event what happened, for example {@code calls pause for 30 s}
     */
    public void happened(String event) {
        long now = nanoTime.getAsLong();
        long next = nextEventNanos.get();
        if (now - next >= 0 && nextEventNanos.compareAndSet(next, now + INTERVAL_NANOS)) {
            LOG.info(subject + ": " + event);
        }
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
