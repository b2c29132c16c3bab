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
        return new QueueException(
                operation, key, problem + (mayBeDone ? possibleEffect(operation) : ""), mayBeDone, cause);
    }

    @Override
    public String notDone(String operation) {
        return switch (operation) {
            case "enqueue" -> "; nothing was enqueued";
            case "produce" -> "; nothing was produced";
            case "claim" -> "; nothing was claimed";
            case "counts",
                    "shards",
                    "state",
                    "find",
                    "jobs",
                    "names",
                    "audit",
                    "dead_letters",
                    "connect",
                    "WAIT",
                    "WAITAOF" -> "";
            default -> "; nothing was changed";
        };
    }

    /** The effect that the call may have had although it failed, and what to do then. */
    private static String possibleEffect(String operation) {
        return switch (operation) {
            case "enqueue" ->
                "; it may have been enqueued: with once(key), a retry is rejected while the first job is waiting or leased";
            case "produce" ->
                "; it may have been produced: after a retry with the same once(key), groups with keepDone handle it once";
            case "claim" -> "; jobs may have been claimed; they become due again when their lease expires";
            case "counts",
                    "shards",
                    "state",
                    "find",
                    "jobs",
                    "names",
                    "audit",
                    "dead_letters",
                    "connect",
                    "WAIT",
                    "WAITAOF" -> "";
            default -> "; it may have taken effect";
        };
    }
}
