package io.headgate.queues;

import org.jspecify.annotations.Nullable;

/**
 * The queue could not be asked: the store was unreachable, did not answer in time, or holds something else where jobs
 * should be. {@link #mayBeDone()} says whether the call may have been carried out all the same.
 */
public class QueueException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final String operation;
    private final String key;
    private final String problem;
    private final boolean mayBeDone;

    /**
     * Says what failed.
     *
     * @param operation what was attempted, such as {@code enqueue}
     * @param key the first key that it concerned
     * @param problem what went wrong, as a phrase
     * @param mayBeDone whether the call may have been carried out all the same
     * @param cause what was thrown below, or null
     */
    public QueueException(String operation, String key, String problem, boolean mayBeDone, @Nullable Throwable cause) {
        super(operation + " " + key + ": " + problem, cause);
        this.operation = operation;
        this.key = key;
        this.problem = problem;
        this.mayBeDone = mayBeDone;
    }

    /** What was attempted, such as {@code enqueue}. */
    public String operation() {
        return operation;
    }

    /** The first key that it concerned. */
    public String key() {
        return key;
    }

    /** What went wrong, as a phrase. */
    public String problem() {
        return problem;
    }

    /** Whether the call may have been carried out; false when that certainly was not so. */
    public boolean mayBeDone() {
        return mayBeDone;
    }
}
