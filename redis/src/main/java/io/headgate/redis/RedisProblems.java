package io.headgate.redis;

import io.lettuce.core.RedisCommandExecutionException;

/** Says what a failure of Redis means, for the message of a {@link io.headgate.limits.LimiterException}. */
final class RedisProblems {

    private RedisProblems() {}

    static String describe(Throwable problem) {
        String message = String.valueOf(problem.getMessage());
        if (message.contains("WRONGTYPE") || message.contains("HEADGATE_FOREIGN")) {
            return "the key holds something that Headgate did not store; nothing was charged: " + message;
        }
        return message;
    }

    /** The same for a call that was handed to the client: what is not Redis's own error came before its answer. */
    static String describeCall(Throwable problem) {
        return problem instanceof RedisCommandExecutionException
                ? describe(problem)
                : problem.getMessage() + "; whether it was charged is not known";
    }
}
