package io.headgate.redis.internal.connection;

import org.jspecify.annotations.Nullable;

/** Failures that say what they were told. */
final class RecordedFailures implements Failures {

    /** What was told. */
    static final class Told extends RuntimeException {

        private static final long serialVersionUID = 1;

        final boolean mayBeDone;

        Told(String message, boolean mayBeDone, @Nullable Throwable cause) {
            super(message, cause);
            this.mayBeDone = mayBeDone;
        }
    }

    @Override
    public RuntimeException failure(
            String operation, String key, String problem, boolean mayBeDone, @Nullable Throwable cause) {
        return new Told(operation + " " + key + ": " + problem, mayBeDone, cause);
    }

    @Override
    public String notDone(String operation) {
        return "; not done";
    }
}
