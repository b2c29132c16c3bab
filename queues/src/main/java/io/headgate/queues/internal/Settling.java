package io.headgate.queues.internal;

/** What is to be said of one job in hand, as an engine takes it. */
public interface Settling {

    /** How much work it is to carry this out, when it is 1 for a job that is done. */
    default int weight() {
        return 1;
    }
}
