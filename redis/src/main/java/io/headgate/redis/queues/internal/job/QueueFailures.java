package io.headgate.redis.queues.internal.job;

import io.headgate.queues.QueueException;
import io.headgate.redis.internal.connection.Failures;
import org.jspecify.annotations.Nullable;

/** Creates the exceptions of failed queue calls, with what is known about their effect. */
public enum QueueFailures implements Failures {
    INSTANCE;

    @Override
    public QueueException failure(
            String operation, String key, String problem, boolean mayBeDone, @Nullable Throwable cause) {
        return new QueueException(operation, key, problem + (mayBeDone ? notKnown(operation) : ""), mayBeDone, cause);
    }

    @Override
    public String notDone(String operation) {
        return switch (operation) {
            case "enqueue" -> "; nothing was enqueued";
            case "produce" -> "; nothing was produced";
            case "claim" -> "; nothing was claimed";
            case "counts", "state", "find", "jobs", "names", "audit", "dead_letters", "connect", "WAIT", "WAITAOF" ->
                "";
            default -> "; nothing was changed";
        };
    }

    /** What may have happened although the call failed. */
    private static String notKnown(String operation) {
        return switch (operation) {
            case "enqueue" -> "; whether it was enqueued is not known";
            case "produce" -> "; whether it was produced is not known";
            case "claim" -> "; what may have been claimed is due again when its lease expires";
            case "counts", "state", "find", "jobs", "names", "audit", "dead_letters", "connect", "WAIT", "WAITAOF" ->
                "";
            default -> "; whether it was done is not known";
        };
    }
}
