package io.headgate.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A filter of {@code logback.xml} for events that any client can cause: passes one event per minute, and every event of level ERROR.
 * Thread-safe.
 */
public final class OneLinePerMinute extends Filter<ILoggingEvent> {

    private static final long MINUTE_MILLIS = Duration.ofMinutes(1).toMillis();

    private final AtomicLong nextMillis = new AtomicLong(Long.MIN_VALUE);

    @Override
    public FilterReply decide(ILoggingEvent event) {
        if (event.getLevel().isGreaterOrEqual(Level.ERROR)) {
            return FilterReply.NEUTRAL;
        }
        long now = event.getTimeStamp();
        long next = nextMillis.get();
        return now >= next && nextMillis.compareAndSet(next, now + MINUTE_MILLIS)
                ? FilterReply.NEUTRAL
                : FilterReply.DENY;
    }
}
