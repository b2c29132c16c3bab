package io.headgate.redis.internal;

/** The answer to a call that may wait for others before it is sent. */
public interface Withdrawable {

    /** Says that nobody waits for the answer any more; whether the call had not been sent, and so never is. */
    boolean withdraw();
}
