package io.headgate.redis.internal.connection;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** How one half of Headgate tells its callers that a call failed. */
public interface Failures {

    /**
     * The exception for a caller.
     *
     * @param operation the name of the script
     * @param key the first key that it concerned
     * @param problem what went wrong, as a phrase
     * @param mayBeDone whether Redis may have run the script all the same
     */
    RuntimeException failure(
            String operation, String key, String problem, boolean mayBeDone, @Nullable Throwable cause);

    /**
     * Reports that a call failed because one of its keys holds something that Headgate did not store.
     *
     * @param keys all keys of the call: Redis does not name the one
     */
    default void foreign(List<String> keys) {}

    /** That it has certainly not been done, as the end of a message; empty where that makes no difference. */
    String notDone(String operation);
}
