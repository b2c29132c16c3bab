package io.headgate.queues.internal;

import io.headgate.queues.QueueException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** What a turn failed of, as listeners hear it. */
public final class QueueTroubles {

    private QueueTroubles() {}

    /** The failure itself, or one that says what else it was. */
    public static QueueException of(@Nullable Throwable problem) {
        Throwable cause = problem == null ? null : unwrapped(problem);
        return cause instanceof QueueException failure
                ? failure
                : new QueueException("turn", "of a worker", String.valueOf(cause), true, cause);
    }

    /** Returns the cause of a {@link CompletionException}; returns any other exception itself. */
    public static Throwable unwrapped(Throwable problem) {
        return problem instanceof CompletionException && problem.getCause() != null ? problem.getCause() : problem;
    }
}
