package io.headgate.limits.internal;

import java.util.concurrent.CompletionException;

/** Finds what a stage failed with. */
final class Causes {

    private Causes() {}

    /** What was thrown, without what stages wrap it in. */
    static Throwable of(Throwable problem) {
        return problem instanceof CompletionException && problem.getCause() != null ? problem.getCause() : problem;
    }
}
