package io.headgate.queues.internal;

import io.headgate.queues.QueueException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Converts exceptions of asynchronous calls into {@link QueueException}s for listeners. */
public final class QueueExceptions {

    private QueueExceptions() {}

    /** Returns the cause as a {@link QueueException}; wraps an exception of another class. */
    public static QueueException of(@Nullable Throwable problem) {
        Throwable cause = problem == null ? null : unwrapped(problem);
        return cause instanceof QueueException failure
                ? failure
                : new QueueException("poll", "of a worker", String.valueOf(cause), true, cause);
    }

    /** Returns the cause of a {@link CompletionException}; returns any other exception itself. */
    public static Throwable unwrapped(Throwable problem) {
        return problem instanceof CompletionException && problem.getCause() != null ? problem.getCause() : problem;
    }
}
