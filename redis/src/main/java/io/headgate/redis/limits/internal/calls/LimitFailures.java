package io.headgate.redis.limits.internal.calls;

import io.headgate.limits.LimiterException;
import io.headgate.limits.internal.Causes;
import io.headgate.redis.internal.connection.Failures;
import io.headgate.redis.internal.connection.RedisProblems;
import org.jspecify.annotations.Nullable;

/** Creates the exceptions of failed limiter calls. Their messages state the effect that the call had or may have had. */
public enum LimitFailures implements Failures {
    INSTANCE;

    /** Whether the failure concerns only a key of the request, and so does not indicate an outage of Redis. */
    public static boolean concernsOneKey(Throwable problem) {
        return Causes.of(problem) instanceof LimiterException failure
                && RedisProblems.concernsOneKey(failure.problem());
    }

    @Override
    public LimiterException failure(
            String operation, String key, String problem, boolean mayBeDone, @Nullable Throwable cause) {
        String possibleEffect = mayBeDone ? possibleEffect(operation) : "";
        return new LimiterException(operation, key, problem + possibleEffect, !possibleEffect.isEmpty(), cause);
    }

    @Override
    public String notDone(String operation) {
        return switch (operation) {
            case "acquire" -> "; nothing was charged";
            case "hold" -> "; no permit was taken";
            case "refund" -> "; nothing was refunded";
            case "reset" -> "; no count was reset";
            default -> "";
        };
    }

    /** The effect that a failed call may have had, and what to do then; empty for a call that changes nothing. */
    private static String possibleEffect(String operation) {
        return switch (operation) {
            case "acquire" -> "; it may have been charged; a request with an id can be retried without a second charge";
            case "hold" ->
                "; permits may have been taken; they are released in the background, at the latest when the lease expires";
            case "release" -> "; the hold may have been released; otherwise it expires with its lease";
            case "refund" ->
                "; permits may have been refunded; a decision is refunded only once, so retrying its refund is safe";
            case "reset" -> "; the count may have been reset";
            default -> "";
        };
    }
}
