package io.headgate.redis.limits.internal.calls;

import io.headgate.limits.LimiterException;
import io.headgate.limits.internal.Causes;
import io.headgate.redis.internal.connection.Failures;
import io.headgate.redis.internal.connection.RedisProblems;
import org.jspecify.annotations.Nullable;

/** Tells that a limiter could not be asked, and what of it is known. */
public enum LimitFailures implements Failures {
    INSTANCE;

    /** Whether what a request failed with is wrong with its key, which says nothing of Redis. */
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
            case "hold" -> "; no place was taken";
            case "refund" -> "; nothing was taken back";
            case "reset" -> "; nothing was forgotten";
            default -> "";
        };
    }

    /** That it may have been done all the same; nothing, when that makes no difference. */
    private static String notKnown(String operation) {
        return switch (operation) {
            case "acquire" -> "; whether it was charged is not known";
            case "hold" ->
                "; whether a place was taken is not known, and if so it is free again after the lease at the latest";
            case "release" -> "; whether the hold was released is not known; it expires with its lease at the latest";
            case "refund" -> "; whether the charge was taken back is not known";
            case "reset" -> "; whether the count was forgotten is not known";
            default -> "";
        };
    }
}
