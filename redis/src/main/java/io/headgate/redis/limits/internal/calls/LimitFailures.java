package io.headgate.redis.limits.internal.calls;

import io.headgate.limits.LimiterException;
import io.headgate.limits.internal.Causes;
import io.headgate.redis.internal.connection.Failures;
import io.headgate.redis.internal.connection.RedisProblems;
import org.jspecify.annotations.Nullable;

/** Creates the exceptions of failed limiter calls, with what is known about their effect. */
public enum LimitFailures implements Failures {
    INSTANCE;

    /** Whether the failure concerns only the key of the request, and so does not indicate that Redis fails. */
    public static boolean isOfKey(Throwable problem) {
        return Causes.of(problem) instanceof LimiterException failure && RedisProblems.isOfKey(failure.problem());
    }

    @Override
    public LimiterException failure(
            String operation, String key, String problem, boolean mayBeDone, @Nullable Throwable cause) {
        String notKnown = mayBeDone ? notKnown(operation) : "";
        return new LimiterException(operation, key, problem + notKnown, !notKnown.isEmpty(), cause);
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

    /** What may have happened although the call failed; empty if that makes no difference. */
    private static String notKnown(String operation) {
        return switch (operation) {
            case "acquire" -> "; whether it was charged is not known";
            case "hold" ->
                "; whether permits were taken is not known; if so, they are free after the lease at the latest";
            case "release" -> "; whether the hold was released is not known; it expires with its lease at the latest";
            case "refund" -> "; whether the charge was refunded is not known";
            case "reset" -> "; whether the count was reset is not known";
            default -> "";
        };
    }
}
