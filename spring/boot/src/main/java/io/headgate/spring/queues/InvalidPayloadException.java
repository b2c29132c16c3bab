package io.headgate.spring.queues;

/**
 * The failure of a job that no attempt can handle: its payload or a header cannot be converted, is missing, or violates a constraint. The
 * job becomes a dead letter at once.
 */
public final class InvalidPayloadException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** Creates an exception with the reason. */
    public InvalidPayloadException(String reason) {
        super(reason);
    }

    /** Creates an exception with the reason and the failure of a conversion. */
    public InvalidPayloadException(String reason, Throwable cause) {
        super(reason, cause);
    }
}
