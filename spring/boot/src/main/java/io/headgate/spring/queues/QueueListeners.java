package io.headgate.spring.queues;

import java.util.List;

/**
 * The listeners of this application by their ids. All methods affect this process only; {@link io.headgate.queues.JobQueue#pause} pauses
 * a queue in all processes. A method throws an {@link IllegalArgumentException} for an unknown id. Safe for use by several threads.
 */
public interface QueueListeners {

    /** The state of a listener. */
    enum State {
        /** The listener claims no jobs. */
        STOPPED,
        /** The listener is started, and claims jobs while Redis is reachable. */
        RUNNING,
        /** The listener is started, but claims no jobs until it is resumed. */
        PAUSED
    }

    /** Returns the ids of all listeners, in alphabetical order. */
    List<String> ids();

    /** Returns the state of a listener. */
    State state(String id);

    /** Starts a listener. Does nothing if it is started. */
    void start(String id);

    /**
     * Stops a listener: it claims no more jobs, and this method waits for those that are handled, up to the shutdown timeout of Spring
     * Boot. Then it hands back their jobs, and interrupts their threads. Does nothing if the listener is stopped. Call this on
     * another thread than that of the listener, for which it would wait.
     */
    void stop(String id);

    /** Pauses a listener. Jobs that it has claimed are still handled. Does nothing unless the listener is running. */
    void pause(String id);

    /** Resumes a paused listener. Does nothing unless it is paused. */
    void resume(String id);
}
