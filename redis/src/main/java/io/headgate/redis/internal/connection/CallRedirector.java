package io.headgate.redis.internal.connection;

/** Receives the calls of one connection that failed without having run, and the events of the connection. */
public interface CallRedirector {

    /** The executor of the connection on which a call failed. */
    interface Origin {

        /** Closes the connection after the replies to all sent commands, so that Lettuce connects again. */
        void reconnect();
    }

    /**
     * Decides how a call continues that failed and did not run.
     *
     * @param from the executor whose connection the call failed on
     * @return true if the redirector now completes the call, for example by sending it to another node; false if the
     *     call fails
     */
    boolean redirect(Flight<?> flight, Throwable problem, Origin from);

    /** The connection broke. */
    default void disconnected() {}

    /** A call timed out. */
    default void timedOut() {}
}
