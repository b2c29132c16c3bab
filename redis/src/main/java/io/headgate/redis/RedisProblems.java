package io.headgate.redis;

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
}
