package io.headgate.limits;

import org.jspecify.annotations.Nullable;

/**
 * The limits could not be asked: the store was unreachable, did not answer in time, or holds something else where a
 * count should be. Whether the request was charged is then not known, unless the message says that it was not.
 */
public final class LimiterException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final String operation;
    private final String key;

    /**
     * Says what failed.
     *
     * @param operation what was attempted, such as {@code acquire}
     * @param key the first key that it concerned
     * @param problem what went wrong, as a phrase
     * @param cause what was thrown below, or null
     */
    public LimiterException(String operation, String key, String problem, @Nullable Throwable cause) {
        super(operation + " " + key + ": " + problem, cause);
        this.operation = operation;
        this.key = key;
    }

    /** What was attempted, such as {@code acquire}. */
    public String operation() {
        return operation;
    }

    /** The first key that it concerned. */
    public String key() {
        return key;
    }
}
