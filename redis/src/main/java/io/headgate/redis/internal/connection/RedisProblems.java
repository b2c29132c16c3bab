package io.headgate.redis.internal.connection;

import io.lettuce.core.RedisCommandExecutionException;
import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.ssl.NotSslRecordException;
import java.io.IOException;
import java.security.cert.CertificateException;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Says what a failure of Redis means, for the message of an exception. */
public final class RedisProblems {

    /** What the native transport says before the reason, such as {@code finishConnect(..) failed with error(-111): }. */
    private static final Pattern SYSTEM_CALL = Pattern.compile("^\\S*\\(\\.\\.\\) failed with error\\(-\\d+\\): ");

    private static final String FOREIGN = "the key holds something that Headgate did not store";

    /** How errors begin with which Redis answers to who connects, and would answer again. */
    private static final List<String> REFUSALS = List.of(
            "NOAUTH",
            "WRONGPASS",
            "NOPERM",
            "DENIED",
            "ERR AUTH",
            "ERR invalid password",
            "ERR Client sent AUTH",
            "ERR DB index",
            "ERR invalid DB index",
            "ERR SELECT is not allowed",
            "ERR This instance has cluster support disabled",
            // What the client library says where a sentinel does not know the name.
            "Cannot provide redisAddress using sentinel");

    /** What Lettuce's RedisHandshakeHandler says. */
    private static final String CLOSED = "Connection closed prematurely";

    private static final List<String> REPLICA = List.of("READONLY ", "MASTERDOWN ");

    private RedisProblems() {}

    /** Whether that is a problem with one key, which says nothing of Redis. */
    public static boolean isOfKey(String problem) {
        return problem.startsWith(FOREIGN);
    }

    /** What callers are told of a part of a script that failed with that error, and did nothing. */
    public static RuntimeException ofScript(Failures failures, String operation, String key, String error) {
        return failures.failure(operation, key, describe(error, failures.notDone(operation)), false, null);
    }

    /** What an error reply to a script means, which did nothing then, as the second argument says. */
    static String describe(Throwable problem, String notDone) {
        return describe(String.valueOf(problem.getMessage()), notDone);
    }

    private static String describe(String message, String notDone) {
        if (message.contains("WRONGTYPE") || message.contains("HEADGATE_FOREIGN")) {
            return FOREIGN + notDone + ": " + message;
        }
        return message + notDone + advice(message);
    }

    private static String advice(String message) {
        if (message.startsWith("MOVED ") || message.startsWith("ASK ")) {
            return "; this is a node of a Redis Cluster: give redis-cluster://host:port instead";
        }
        return message.startsWith("CROSSSLOT")
                ? "; in a Cluster the keys of one call must be in one slot: give the policy colocation POLICY"
                : "";
    }

    /** Whether nobody answered at all when it was connected to, not even that it can't be. */
    static boolean isUnheard(Throwable problem) {
        return isAnyOf(problem, cause -> cause instanceof ConnectTimeoutException);
    }

    /** Whether all that is said is that the connection was closed, which the client library may have done itself for a reason. */
    static boolean isReasonLost(Throwable problem) {
        return isAnyOf(problem, cause -> CLOSED.equals(cause.getMessage()));
    }

    /** Whether the server says that it is a replica, and so does nothing; of a script, older ones say so in the middle of the message. */
    static boolean isOfReplica(Throwable problem) {
        String message = String.valueOf(problem.getMessage());
        return problem instanceof RedisCommandExecutionException
                && REPLICA.stream().anyMatch(word -> message.startsWith(word) || message.contains("-" + word));
    }

    /** Whether Redis is there, and refuses who connects, or is none that is believed: what no outage does. */
    public static boolean isRefusal(Throwable problem) {
        return isAnyOf(problem, cause -> {
            String message = String.valueOf(cause.getMessage());
            return cause instanceof CertificateException
                    || cause instanceof NotSslRecordException
                    || (cause instanceof IOException && message.contains("fatal alert"))
                    || REFUSALS.stream().anyMatch(message::startsWith);
        });
    }

    private static boolean isAnyOf(Throwable problem, Predicate<Throwable> which) {
        return Stream.iterate(problem, Objects::nonNull, Throwable::getCause).anyMatch(which);
    }

    /** Why no connection came about: what the client library says, and what lies below it. */
    public static String describeConnect(Throwable problem) {
        Throwable deepest = problem;
        while (deepest.getCause() != null) {
            deepest = deepest.getCause();
        }
        String reason = deepest.getMessage() == null ? deepest.getClass().getSimpleName() : deepest.getMessage();
        return "can't connect: "
                + SYSTEM_CALL.matcher(reason.replace("/<unresolved>", "")).replaceFirst("");
    }
}
