package io.headgate.spring.web;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** Logs failures of a route while it decides requests, at most once a minute. Safe for use by any number of threads. */
public final class FailureLog {

    private static final Log LOG = LogFactory.getLog("io.headgate.spring.web");
    private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final String route;
    private final LongSupplier nanoTime;
    private final AtomicLong nextNanos;
    private final AtomicLong suppressed = new AtomicLong();

    /**
     * Creates a log.
     *
     * @param route the property of the route, or what else fails
     */
    public FailureLog(String route) {
        this(route, System::nanoTime);
    }

    /**
     * Creates a log.
     *
     * @param route the property of the route
     * @param nanoTime as {@link System#nanoTime()}
     */
    FailureLog(String route, LongSupplier nanoTime) {
        this.route = route;
        this.nanoTime = nanoTime;
        this.nextNanos = new AtomicLong(nanoTime.getAsLong());
    }

    /**
     * Logs a failure, unless one was logged in the last minute.
     *
     * @param setting the setting of the route, for example {@code .policy}
     * @param consequence what happens to the request, for example {@code the request is not limited}
     */
    public void failed(String setting, String consequence, Throwable failure) {
        long now = nanoTime.getAsLong();
        long next = nextNanos.get();
        if (now - next >= 0 && nextNanos.compareAndSet(next, now + INTERVAL_NANOS)) {
            long more = suppressed.getAndSet(0);
            LOG.warn(
                    route + setting + " failed; " + consequence
                            + (more == 0 ? "" : ". " + more + " earlier failures of this route were not logged"),
                    failure);
        } else {
            suppressed.incrementAndGet();
        }
    }
}
