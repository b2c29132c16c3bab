package io.headgate.spring.internal;

import java.util.Map;

/** The state of the queues, streams and listeners of the application. */
@FunctionalInterface
public interface QueueStates {

    /** Returns the members for the endpoint, in the time of a call to Redis; none if the application uses no queues. */
    Map<String, Object> members();
}
