package io.headgate.spring.queues.internal;

/** The failure of a job that its listener has settled as failed by an {@link io.headgate.spring.queues.Acknowledgement}. */
final class ListenerFailure extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final boolean deadLetter;

    /**
     * Creates a failure without a stack trace.
     *
     * @param deadLetter whether the job becomes a dead letter without another attempt
     */
    ListenerFailure(String cause, boolean deadLetter) {
        super(cause, null, false, false);
        this.deadLetter = deadLetter;
    }

    boolean isDeadLetter() {
        return deadLetter;
    }
}
