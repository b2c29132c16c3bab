package io.headgate.limits.internal;

import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Finds what a stage failed with. */
public final class Causes {

    private Causes() {}

    /** What was thrown, without what stages wrap it in; where nothing was, that there was no answer either. */
    public static Throwable of(@Nullable Throwable problem) {
        if (problem == null) {
            return new IllegalStateException("no answer");
        }
        return problem instanceof CompletionException && problem.getCause() != null ? problem.getCause() : problem;
    }
}
