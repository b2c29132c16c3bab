package io.headgate.limits;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a call of a limiter fails. Either the store is unreachable, does not reply in time, rejects the call (for example because it
 * is full), or has a value of another application under the key. Or the engine can't accept the request, for example because it has too
 * many holds, or because the request id was decided under other rules. {@link #mayBeCharged()} returns whether the call may have had an
 * effect.
 */
public final class LimiterException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final String operation;
    private final String key;
    private final String problem;
    private final boolean mayBeCharged;

    /**
     * Creates an exception.
     *
     * @param operation the failed operation, such as {@code acquire} or {@code hold}
     * @param key the first key of the call, or {@code of policy} and the name of the policy
     * @param problem what went wrong, as a phrase
     * @param mayBeCharged whether the call may have had an effect
     * @param cause the underlying exception, or null
     */
    public LimiterException(
            String operation, String key, String problem, boolean mayBeCharged, @Nullable Throwable cause) {
        super(operation + " " + key + ": " + problem, cause);
        this.operation = operation;
        this.key = key;
        this.problem = problem;
        this.mayBeCharged = mayBeCharged;
    }

    /** The failed operation, such as {@code acquire}, which is also that of a {@code tryAcquire}. */
    public String operation() {
        return operation;
    }

    /**
     * The first key of the call, or {@code of policy} and the name of the policy if the key is not known. Keys contain ids of users, and
     * the message contains the key.
     */
    public String key() {
        return key;
    }

    /** What went wrong, as a phrase without ids. */
    public String problem() {
        return problem;
    }

    /**
     * Whether the call may have had an effect although it failed: a request may have been charged, a refund refunded, or a reset
     * done. If false, it had none, so a retry does not repeat an effect. False for a peek, which changes nothing.
     */
    public boolean mayBeCharged() {
        return mayBeCharged;
    }
}
