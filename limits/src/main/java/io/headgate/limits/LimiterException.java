package io.headgate.limits;

import org.jspecify.annotations.Nullable;

/**
 * The limits could not be asked: the store was unreachable, did not answer in time, or holds something else where a
 * count should be. {@link #mayBeCharged()} says whether the call may have been carried out all the same.
 */
public final class LimiterException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final String operation;
    private final String key;
    private final String problem;
    private final boolean mayBeCharged;

    /**
     * Says what failed.
     *
     * @param operation what was attempted, such as {@code acquire}
     * @param key the first key that it concerned
     * @param problem what went wrong, as a phrase
     * @param mayBeCharged whether the call may have been carried out all the same
     * @param cause what was thrown below, or null
     */
    public LimiterException(
            String operation, String key, String problem, boolean mayBeCharged, @Nullable Throwable cause) {
        super(operation + " " + key + ": " + problem, cause);
        this.operation = operation;
        this.key = key;
        this.problem = problem;
        this.mayBeCharged = mayBeCharged;
    }

    /** What was attempted, such as {@code acquire}. */
    public String operation() {
        return operation;
    }

    /**
     * The first key that it concerned, or {@code of policy} and its name where it is not known. A key ends in ids of users,
     * and the message names it.
     */
    public String key() {
        return key;
    }

    /** What went wrong, as a phrase that names no id. */
    public String problem() {
        return problem;
    }

    /**
     * Whether the call may have had an effect although it failed: a request may have been charged, a refund refunded, or a reset
     * done. If false, it had none, and a retry takes effect at most once. False for a peek, which changes nothing.
     */
    public boolean mayBeCharged() {
        return mayBeCharged;
    }
}
