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

/** Classifies the errors of Redis and Lettuce, and describes them for the messages of exceptions. */
public final class RedisProblems {

    /**
     * The prefix of a message of Netty's native transport, such as {@code finishConnect(..) failed with error(-111): }.
     */
    private static final Pattern SYSTEM_CALL = Pattern.compile("^\\S*\\(\\.\\.\\) failed with error\\(-\\d+\\): ");

    private static final String FOREIGN = "the key holds something that Headgate did not store";

    /** The beginnings of the errors with which Redis permanently rejects a connection. */
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
            // Lettuce's message when a sentinel does not know the name of the master.
            "Cannot provide redisAddress using sentinel");

    /** The message of Lettuce's RedisHandshakeHandler. */
    private static final String CLOSED = "Connection closed prematurely";

    private static final List<String> REPLICA = List.of("READONLY ", "MASTERDOWN ");

    private RedisProblems() {}

    /** Whether the problem concerns a single key and not the availability of Redis. */
    public static boolean concernsOneKey(String problem) {
        return problem.startsWith(FOREIGN);
    }

    /** Creates the exception for one step of a script call that failed with this error and had no effect. */
    public static RuntimeException ofScript(Failures failures, String operation, String key, String error) {
        return failures.failure(operation, key, describe(error, failures.notDone(operation)), false, null);
    }

    /**
     * Describes the error reply of a script that had no effect.
     *
     * @param notDone the end of the message, which states that there was no effect
     */
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

    /** Whether the connection attempt timed out without any response, not even a refused TCP connection. */
    static boolean isConnectTimeout(Throwable problem) {
        return isAnyOf(problem, cause -> cause instanceof ConnectTimeoutException);
    }

    /**
     * Whether the message states only that the connection was closed. Lettuce may have closed it for a reason that it
     * does not report.
     */
    static boolean isReasonLost(Throwable problem) {
        return isAnyOf(problem, cause -> CLOSED.equals(cause.getMessage()));
    }

    /**
     * Whether the server rejects the call because it is a replica. Older servers report that in the middle of a script's
     * error message.
     */
    static boolean isReplicaError(Throwable problem) {
        String message = String.valueOf(problem.getMessage());
        return problem instanceof RedisCommandExecutionException
                && REPLICA.stream().anyMatch(word -> message.startsWith(word) || message.contains("-" + word));
    }

    /**
     * Whether Redis is reachable but rejects the connection, does not use TLS, or has a certificate that is not trusted. A
     * retry does not help, unlike in an outage.
     */
    public static boolean isRefusal(Throwable problem) {
        return isAnyOf(problem, cause -> {
            String message = String.valueOf(cause.getMessage());
            return cause instanceof CertificateException
                    || cause instanceof NotSslRecordException
                    || (cause instanceof IOException && message.contains("fatal alert"))
                    || REFUSALS.stream().anyMatch(message::startsWith);
        });
    }

    /** Whether Redis replied with an error. */
    public static boolean isErrorReply(Throwable problem) {
        return isAnyOf(problem, cause -> cause instanceof RedisCommandExecutionException);
    }

    private static boolean isAnyOf(Throwable problem, Predicate<Throwable> which) {
        return Stream.iterate(problem, Objects::nonNull, Throwable::getCause).anyMatch(which);
    }

    /** Describes why a connection could not be established, by the deepest cause. */
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
