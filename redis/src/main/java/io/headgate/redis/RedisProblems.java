package io.headgate.redis;

import io.headgate.limits.LimiterException;
import org.jspecify.annotations.Nullable;

/** Says what a failure of Redis means, for the message of a {@link LimiterException}. */
final class RedisProblems {

    private RedisProblems() {}

    /** What an error reply to a script means, which did nothing then. */
    static String describe(String operation, Throwable problem) {
        String message = String.valueOf(problem.getMessage());
        if (message.contains("WRONGTYPE") || message.contains("HEADGATE_FOREIGN")) {
            return "the key holds something that Headgate did not store" + notDone(operation) + ": " + message;
        }
        return message + notDone(operation);
    }

    /**
     * Says what failed, and what of it is known.
     *
     * @param mayBeDone whether it may have been done all the same
     */
    static LimiterException failure(
            String operation, String key, String problem, boolean mayBeDone, @Nullable Throwable cause) {
        String notKnown = mayBeDone ? notKnown(operation) : "";
        return new LimiterException(operation, key, problem + notKnown, !notKnown.isEmpty(), cause);
    }

    /** That it has certainly not been done. */
    private static String notDone(String operation) {
        return switch (operation) {
            case "acquire" -> "; nothing was charged";
            case "refund" -> "; nothing was taken back";
            case "reset" -> "; nothing was forgotten";
            default -> "";
        };
    }

    /** That it may have been done all the same; nothing, when that makes no difference. */
    private static String notKnown(String operation) {
        return switch (operation) {
            case "acquire" -> "; whether it was charged is not known";
            case "refund" -> "; whether the charge was taken back is not known";
            case "reset" -> "; whether the count was forgotten is not known";
            default -> "";
        };
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
