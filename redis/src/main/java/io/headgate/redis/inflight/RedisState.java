package io.headgate.redis.inflight;

import io.headgate.limits.LimiterException;

/** What an engine knows of its Redis, and is told of it. */
public interface RedisState {

    /** Whether it is to be asked. */
    boolean asks();

    /** It has answered in time. */
    void answered();

    /** It has not, or with a failure. */
    void failed(LimiterException problem);

    /** From now on this instance is one of those that share limits; to say so again does nothing. */
    void shares();

    /** How many instances share limits while it is gone, with this one; at least 1. */
    int instances();

    /** There is something that it is to be told. */
    void owes();
}
