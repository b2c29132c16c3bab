package io.headgate.redis.limits;

import io.headgate.redis.internal.ScriptExecutor;

/** The way of a limiter's requests to Redis. */
interface Requests {

    /** Sends it. */
    void send(Ask ask);

    /** Sends all that wait, so that what is sent after this comes after them. */
    default void flush() {}

    /** Whether they end in time by themselves. */
    default boolean endInTime() {
        return false;
    }

    /** One by one. */
    static Requests oneByOne(ScriptExecutor executor) {
        return ask -> executor.execute(ask.planner().acquire(ask)).whenComplete(ask::end);
    }
}
