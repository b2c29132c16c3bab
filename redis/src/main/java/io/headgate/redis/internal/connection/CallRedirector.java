package io.headgate.redis.internal.connection;

/** What an executor of one connection calls when a call fails without having run, and when its connection changes. */
public interface CallRedirector {

    /** The executor of the connection on which a call failed. */
    interface Origin {

        /** Closes the connection once everything sent over it is answered, so that the client library connects again. */
        void reconnect();
    }

    /**
     * Decides what happens to a call that failed and did not run.
     *
     * @param from the executor of the connection on which it failed
     * @return true if the redirector now completes the call, for example by sending it to another node; else it fails with that
     *     problem
     */
    boolean redirect(Flight<?> flight, Throwable problem, Origin from);

    /** The connection broke. */
    default void disconnected() {}

    /** A reply did not arrive in time. */
    default void timedOut() {}
}
