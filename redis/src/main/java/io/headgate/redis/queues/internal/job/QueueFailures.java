package io.headgate.redis.queues.internal.job;

import io.headgate.queues.QueueException;
import io.headgate.redis.internal.connection.Failures;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Creates the exceptions of failed queue calls, with what is known about their effect. */
public enum QueueFailures implements Failures {
    INSTANCE;

    /** Operations whose failures state no effect on jobs. */
    private static final Set<String> NO_STATED_EFFECT = Set.of(
            "counts",
            "shards",
            "state",
            "find",
            "jobs",
            "names",
            "tenants",
            "audit",
            "dead_letters",
            "connect",
            "WAIT",
            "WAITAOF");

    /** A repair takes many calls, so earlier ones may have taken effect even if the failed one has not. */
    private static final String REPAIR = "repair";

    @Override
    public QueueException failure(
            String operation, String key, String problem, boolean mayBeDone, @Nullable Throwable cause) {
        boolean mayHaveEffect = mayBeDone || operation.equals(REPAIR);
        return new QueueException(
                operation, key, problem + (mayHaveEffect ? possibleEffect(operation) : ""), mayHaveEffect, cause);
    }

    @Override
    public String notDone(String operation) {
        return switch (operation) {
            case "enqueue" -> "; nothing was enqueued";
            case "produce" -> "; nothing was produced";
            case "claim" -> "; nothing was claimed";
            case REPAIR -> "";
            default -> NO_STATED_EFFECT.contains(operation) ? "" : "; nothing was changed";
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
            case REPAIR -> "; it may have taken effect in part: repeat it";
            default -> NO_STATED_EFFECT.contains(operation) ? "" : "; it may have taken effect";
        };
    }
}
