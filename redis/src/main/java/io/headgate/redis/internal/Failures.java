package io.headgate.redis.internal;

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

    /** That it has certainly not been done, as the end of a message; empty where that makes no difference. */
    String notDone(String operation);
}
