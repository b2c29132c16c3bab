package io.headgate.redis.limits;

/** The way of a limiter's requests to Redis. */
interface Requests {

    /** Sends it. */
    void send(PendingRequest pending);

    /** Sends all that wait, so that what is sent after this comes after them. */
    default void flush() {}

    /** Whether they end in time by themselves. */
    default boolean endInTime() {
        return false;
    }
}
