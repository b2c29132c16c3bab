package io.headgate.redis.internal.connection;

/** Receives the failed calls of one connection, of which it may send some again, and the events of the connection. */
public interface CallRedirector {

    /** The executor of the connection on which a call failed. */
    interface Origin {

        /**
         * Closes the connection after the replies to all sent commands, so that Lettuce connects again. Does nothing if the
         * application's client does not reconnect automatically.
         */
        void reconnect();
    }

    /**
     * Handles a failed call. Only a call that Redis has not executed may be sent again.
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
