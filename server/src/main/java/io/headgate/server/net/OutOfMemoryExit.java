package io.headgate.server.net;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;

/**
 * Ends the process at every {@link OutOfMemoryError}, so that its supervisor restarts it.
 *
 * <p>{@code -XX:+ExitOnOutOfMemoryError} covers only errors that the JVM throws. Java code throws others: {@code Cannot reserve ...
 * direct buffer memory} of the JDK, and Netty's {@code OutOfDirectMemoryError}. Netty, Armeria and Lettuce catch these errors and continue.
 * So this class checks the exceptions of connections, requests and all loggers, and uncaught exceptions.
 */
public final class OutOfMemoryExit {

    /** The status of {@code -XX:+ExitOnOutOfMemoryError}. */
    private static final int STATUS = 3;

    /** Ends the search if causes form a cycle. */
    private static final int MAX_CAUSES = 16;

    private OutOfMemoryExit() {}

    /** Checks the exceptions of all loggers, and uncaught ones. */
    public static void install() {
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> {
            check(thrown);
            LoggerFactory.getLogger(OutOfMemoryExit.class).error("thread {} failed", thread.getName(), thrown);
        });
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            context.addTurboFilter(new LoggedErrors());
        }
    }

    /** Ends the process if this is, or is caused by, an OutOfMemoryError. It ends even if the message cannot be printed. */
    public static void check(@Nullable Throwable thrown) {
        Throwable cause = thrown;
        for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
            if (cause instanceof OutOfMemoryError) {
                try {
                    System.err.println("headgate: exits, because its memory is exhausted: " + cause.getMessage());
                } finally {
                    Runtime.getRuntime().halt(STATUS);
                }
            }
            cause = cause.getCause();
        }
    }

    private static final class LoggedErrors extends TurboFilter {

        @Override
        public FilterReply decide(
                @Nullable Marker marker,
                Logger logger,
                Level level,
                @Nullable String format,
                Object @Nullable [] arguments,
                @Nullable Throwable thrown) {
            check(thrown);
            if (arguments != null
                    && arguments.length > 0
                    && arguments[arguments.length - 1] instanceof Throwable last) {
                check(last);
            }
            return FilterReply.NEUTRAL;
        }
    }
}
