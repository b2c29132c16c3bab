package io.headgate.redis.internal.connection;

import org.jspecify.annotations.Nullable;

/** Failures that record their parameters. */
final class RecordedFailures implements Failures {

    /** A failure with its parameters. */
    static final class Recorded extends RuntimeException {

        private static final long serialVersionUID = 1;

        final boolean mayBeDone;

        Recorded(String message, boolean mayBeDone, @Nullable Throwable cause) {
            super(message, cause);
            this.mayBeDone = mayBeDone;
        }
    }

    @Override
    public RuntimeException failure(
            String operation, String key, String problem, boolean mayBeDone, @Nullable Throwable cause) {
        return new Recorded(operation + " " + key + ": " + problem, mayBeDone, cause);
    }

    @Override
    public String notDone(String operation) {
        return "; not done";
    }
}
