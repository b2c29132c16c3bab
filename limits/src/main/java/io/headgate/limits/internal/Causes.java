package io.headgate.limits.internal;

import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Unwraps the exceptions of stages. */
public final class Causes {

    private Causes() {}

    /**
     * Returns the cause of a {@link CompletionException}, and any other exception itself. For null, returns the exception of a call
     * without a reply.
     */
    public static Throwable of(@Nullable Throwable problem) {
        if (problem == null) {
            return new IllegalStateException("no answer");
        }
        return problem instanceof CompletionException && problem.getCause() != null ? problem.getCause() : problem;
    }
}
