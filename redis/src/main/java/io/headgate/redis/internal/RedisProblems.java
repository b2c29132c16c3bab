package io.headgate.redis.internal;

/** Says what a failure of Redis means, for the message of an exception. */
final class RedisProblems {

    private RedisProblems() {}

    /** What an error reply to a script means, which did nothing then, as the second argument says. */
    static String describe(Throwable problem, String notDone) {
        String message = String.valueOf(problem.getMessage());
        if (message.contains("WRONGTYPE") || message.contains("HEADGATE_FOREIGN")) {
            return "the key holds something that Headgate did not store" + notDone + ": " + message;
        }
        return message + notDone;
    }

    /** Why no connection came about: what the client library says, and what lies below it. */
    static String describeConnect(Throwable problem) {
        Throwable deepest = problem;
        while (deepest.getCause() != null) {
            deepest = deepest.getCause();
        }
        String reason = deepest.getMessage() == null ? deepest.getClass().getSimpleName() : deepest.getMessage();
        return "can't connect: " + reason.replace("/<unresolved>", "");
    }
}
