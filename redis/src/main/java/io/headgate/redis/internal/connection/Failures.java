package io.headgate.redis.internal.connection;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Creates the exceptions with which limits or queues report a failed call. */
public interface Failures {

    /**
     * Creates the exception for a caller.
     *
     * @param operation the name of the script, or of the operation that failed
     * @param key the first key of the call, or the subject of the operation
     * @param problem what went wrong, as a phrase
     * @param mayBeDone whether Redis may have run the script nevertheless
     */
    RuntimeException failure(
            String operation, String key, String problem, boolean mayBeDone, @Nullable Throwable cause);

    /**
     * Reports that a call failed because one of its keys holds a value that Headgate did not store.
     *
     * @param keys all keys of the call: Redis does not name the affected one
     */
    default void foreign(List<String> keys) {}

    /** The end of a message, which states that the operation had no effect; empty for operations that never have one. */
    String notDone(String operation);
}
