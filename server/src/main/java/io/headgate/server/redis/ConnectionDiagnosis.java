package io.headgate.server.redis;

import io.headgate.server.cli.Finding;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisURI;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

/** Explains why Redis does not reply or rejects a connection, and what to do about it. */
public final class ConnectionDiagnosis {

    private static final String CHECK = "reachable";

    /** The text that the native transport writes before the reason. */
    private static final Pattern SYSTEM_CALL = Pattern.compile("^\\S*\\(\\.\\.\\) failed with error\\(-\\d+\\): ");

    private ConnectionDiagnosis() {}

    /** The finding for an exception of a connection. */
    public static Finding because(RedisURI uri, String address, Throwable thrown) {
        List<Throwable> causes = causes(thrown);
        // An error reply of Redis, for example to AUTH. A refused TCP connection is a ConnectException.
        Optional<Throwable> refused = first(causes, RedisCommandExecutionException.class::isInstance);
        if (refused.isPresent()) {
            return refusal(address, String.valueOf(refused.get().getMessage()));
        }
        return Finding.problem(
                CHECK, address + " does not reply: " + reason(causes.get(causes.size() - 1)), advice(uri, causes));
    }

    /** The finding for an error reply to PING; empty if Redis only rejects PING or writes. */
    public static Optional<Finding> byReply(String address, String reply) {
        return reply.startsWith("NOPERM") || reply.startsWith("MISCONF")
                ? Optional.empty()
                : Optional.of(refusal(address, reply));
    }

    private static Finding refusal(String address, String reply) {
        return Finding.problem(CHECK, address + " refuses: " + reply, refusedAdvice(reply));
    }

    private static String refusedAdvice(String reply) {
        if (reply.startsWith("NOAUTH")) {
            return "Redis requires a password: redis://:PASSWORD@HOST:PORT, or redis://USER:PASSWORD@HOST:PORT";
        } else if (reply.startsWith("WRONGPASS") || reply.contains("without any password")) {
            return "use a user and password of this Redis (requirepass, or ACL LIST), with special characters percent-encoded";
        } else if (reply.startsWith("LOADING")) {
            return "Redis loads its data: wait until it has started";
        } else if (reply.startsWith("BUSY")) {
            return "a script is stuck: SCRIPT KILL ends it, unless it has written already";
        } else if (reply.contains("DB index")) {
            return "omit the database at the end of the URL, or use one from 0 to one less than the setting databases";
        }
        return "check Redis's log, and the user and password in the URL";
    }

    private static String advice(RedisURI uri, List<Throwable> causes) {
        if (first(causes, UnknownHostException.class::isInstance).isPresent()) {
            return "this name does not resolve: is it spelled correctly?";
        } else if (!uri.getSentinels().isEmpty()) {
            return "does one of these sentinels run, do they have a primary of that name (SENTINEL MASTERS), and does it accept the user and password in the URL?";
        } else if (first(causes, ConnectException.class::isInstance).isPresent()) {
            return "nothing listens at this address: is it correct, does Redis run, and is it bound to more than 127.0.0.1?";
        } else if (uri.isSsl() && first(causes, SSLException.class::isInstance).isPresent()) {
            return "this JVM must trust the certificate (HEADGATE_JAVA_OPTIONS=-Djavax.net.ssl.trustStore=FILE), and it must be valid for this name; a port without TLS is redis://, not rediss://";
        } else if (uri.isSsl()) {
            return "does that port use TLS? Without TLS it is redis://, not rediss://; otherwise check that Redis runs";
        } else if (first(causes, RedisCommandTimeoutException.class::isInstance).isEmpty()) {
            // Connected, and not a timeout: the other side closed the connection, as a port with TLS does.
            return "does that port use TLS? With TLS it is rediss://, not redis://; otherwise see Redis's log";
        }
        return "is the address correct, does Redis run, does a firewall block this machine, is Redis busy or stopped?";
    }

    private static String reason(Throwable deepest) {
        String message = deepest.getMessage() == null ? deepest.getClass().getSimpleName() : deepest.getMessage();
        return SYSTEM_CALL.matcher(message.replace("/<unresolved>", "")).replaceFirst("");
    }

    private static Optional<Throwable> first(List<Throwable> causes, Predicate<Throwable> what) {
        return causes.stream().filter(what).findFirst();
    }

    private static List<Throwable> causes(Throwable thrown) {
        List<Throwable> causes = new ArrayList<>();
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            causes.add(cause);
        }
        return causes;
    }
}
