package io.headgate.redis.internal;

/** Where calls go that a node of a Cluster does not do, as it has not the slot of their keys. */
interface Elsewhere {

    /** Where there is but one Redis. */
    Elsewhere NOWHERE = (flight, problem, from) -> false;

    /**
     * Takes a call that failed, and was not done.
     *
     * @param from did not do it
     * @return whether it is taken, and ends by itself; else it ends with that problem
     */
    boolean takes(Flight<?> flight, Throwable problem, LettuceExecutor from);

    /** A connection broke. */
    default void disconnected() {}

    /** There is a connection again. */
    default void connected() {}

    /** An answer is late. */
    default void late() {}
}
