package io.headgate.queues;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when an operation of a queue or stream fails: for example, the store is unreachable, does not reply in time, does not confirm a
 * write as the {@link Durability} requires, or has a value of another application under a key of the queue. {@link #mayBeDone()} returns
 * whether the operation may have taken effect.
 */
public class QueueException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final String operation;
    private final String key;
    private final String problem;
    private final boolean mayBeDone;

    /**
     * Creates an exception.
     *
     * @param operation the operation that failed, such as {@code enqueue}
     * @param key the first key in Redis that it used
     * @param problem what went wrong, as a phrase
     * @param mayBeDone whether the operation may have taken effect
     * @param cause the exception of the client library, or null
     */
    public QueueException(String operation, String key, String problem, boolean mayBeDone, @Nullable Throwable cause) {
        super(operation + " " + key + ": " + problem, cause);
        this.operation = operation;
        this.key = key;
        this.problem = problem;
        this.mayBeDone = mayBeDone;
    }

    /** Returns the operation that failed, such as {@code enqueue}. */
    public String operation() {
        return operation;
    }

    /** Returns the first key in Redis that the operation used. */
    public String key() {
        return key;
    }

    /** Returns what went wrong, as a phrase. */
    public String problem() {
        return problem;
    }

    /** Returns whether the operation may have taken effect; false if it certainly has not. */
    public boolean mayBeDone() {
        return mayBeDone;
    }
}
