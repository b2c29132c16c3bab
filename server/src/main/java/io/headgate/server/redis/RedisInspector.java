package io.headgate.server.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.ProtocolVersion;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A connection to a Redis for any command, for the doctor and for plans. An error reply is a result, not an exception. */
public final class RedisInspector implements AutoCloseable {

    /** The expected form of the URL of a Redis. */
    public static final String EXPECTED =
            "the URL of Redis must be such as redis://127.0.0.1:6379, rediss://user:password@host:port/0,"
                    + " redis-sentinel://host:port,host:port#name, or redis-cluster://host:port,host:port";

    /** The messages of Lettuce that only state that a connection was closed. */
    private static final Set<String> CLOSED = Set.of(
            "Connection closed prematurely",
            "Connection closed",
            "Connection disconnected",
            "Currently not connected. Commands are rejected.");

    private static final Pattern CLUSTER = Pattern.compile("(rediss?)-cluster://([^@/?#]*@)?([^/?#,]*)[^/?#]*(.*)");

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;
    private final Map<String, Optional<Map<String, String>>> infos = new HashMap<>();

    /** The reply of Redis: a list or an error. A string or a number is a list of one element. */
    public record Reply(List<?> list, Optional<String> error) {

        /** Returns whether the user may not run the command. */
        public boolean refused() {
            return error.filter(text -> text.startsWith("NOPERM")).isPresent();
        }

        /** The first element of the list; empty text if there is none, as after an error. */
        public String text() {
            return list.isEmpty() ? "" : String.valueOf(list.get(0));
        }
    }

    private RedisInspector(RedisClient client, StatefulRedisConnection<String, String> connection) {
        this.client = client;
        this.connection = connection;
    }

    /**
     * Parses the URL of a Redis. For a Cluster, the result is the URL of the first node.
     *
     * @throws IllegalArgumentException if it is invalid; the message does not repeat it, because it may contain a password
     */
    public static RedisURI parse(String url) {
        try {
            RedisURI uri = RedisURI.create(CLUSTER.matcher(url).replaceFirst("$1://$2$3$4"));
            if (uri.getHost() != null || isBySentinels(uri)) {
                return uri;
            }
        } catch (IllegalArgumentException e) {
            // Reported below, as a URL without a host.
        }
        throw new IllegalArgumentException(EXPECTED);
    }

    /** Returns whether the URL is that of a Cluster. */
    public static boolean isCluster(String url) {
        return CLUSTER.matcher(url).matches();
    }

    private static boolean isBySentinels(RedisURI uri) {
        return !uri.getSentinels().isEmpty() && uri.getSentinelMasterId() != null;
    }

    /** The address without user and password: host and port, or the sentinels and the name of the primary. */
    public static String address(RedisURI uri) {
        return isBySentinels(uri)
                ? uri.getSentinels().stream()
                        .map(RedisInspector::address)
                        .collect(Collectors.joining(",", "", "#" + uri.getSentinelMasterId()))
                : uri.getHost() + ":" + uri.getPort();
    }

    /**
     * Connects.
     *
     * @throws RedisException if Redis does not reply, or rejects the connection
     */
    public static RedisInspector connect(RedisURI uri, Duration timeout) {
        return connect(uri, timeout, Optional.empty());
    }

    /** Connects with certificates. */
    static RedisInspector connect(RedisURI uri, Duration timeout, Optional<SslOptions> tls) {
        uri.setTimeout(timeout);
        RedisClient client = RedisClient.create(uri);
        ClientOptions.Builder options = ClientOptions.builder()
                .autoReconnect(false)
                // RESP2 has plain lists as replies, and needs no right to HELLO.
                .protocolVersion(ProtocolVersion.RESP2)
                // A Redis that can't write to its disk rejects this (MISCONF).
                .pingBeforeActivateConnection(false)
                .socketOptions(SocketOptions.builder().connectTimeout(timeout).build())
                .timeoutOptions(TimeoutOptions.enabled(timeout));
        tls.ifPresent(options::sslOptions);
        client.setOptions(options.build());
        try {
            return new RedisInspector(client, connection(client));
        } catch (RuntimeException e) {
            shutdown(client);
            throw e;
        }
    }

    /** Connects. Retries once if the connection is closed without a reason. */
    private static StatefulRedisConnection<String, String> connection(RedisClient client) {
        try {
            StatefulRedisConnection<String, String> connection = client.connect();
            // Any reply will do. When connecting took about as long as the timeout, Lettuce may close the connection
            // that it has
            // just returned.
            call(connection, "PING");
            return connection;
        } catch (RedisException e) {
            // Redis closes the connection after it has rejected it. On a busy machine, Lettuce may see the close first
            // (about once in 240 times), and then its exception has no reason.
            if (hasNoReason(e)) {
                return client.connect();
            }
            throw e;
        }
    }

    private static boolean hasNoReason(Throwable failure) {
        return CLOSED.contains(String.valueOf(failure.getMessage()))
                || (failure.getCause() != null && hasNoReason(failure.getCause()));
    }

    /**
     * Sends a command.
     *
     * @throws RedisException if there is no reply
     */
    public Reply call(String command, String... arguments) {
        return call(connection, command, arguments);
    }

    /**
     * Sends a command over a connection of its own, because the command may change the state of the connection.
     *
     * @throws RedisException if there is no reply
     */
    public Reply callSeparately(String command, String... arguments) {
        try (StatefulRedisConnection<String, String> separate = connection(client)) {
            return call(separate, command, arguments);
        }
    }

    private static Reply call(StatefulRedisConnection<String, String> connection, String command, String... arguments) {
        CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8);
        for (String argument : arguments) {
            args.add(argument);
        }
        try {
            List<Object> reply =
                    connection.sync().dispatch(new Keyword(command), new NestedMultiOutput<>(StringCodec.UTF8), args);
            return new Reply(reply, Optional.empty());
        } catch (RedisCommandExecutionException e) {
            return new Reply(List.of(), Optional.of(String.valueOf(e.getMessage())));
        }
    }

    /** A section of INFO, read at the first call and then cached; empty if this user may not read it. */
    public Optional<Map<String, String>> info(String section) {
        return infos.computeIfAbsent(section, name -> {
            Reply reply = call("INFO", name);
            return reply.error().isPresent() ? Optional.empty() : Optional.of(parsed(reply.text()));
        });
    }

    /** A number in a section of INFO, from the cached section; empty if it is missing. */
    public Optional<Double> number(String section, String field) {
        return info(section).map(fields -> fields.get(field)).map(Double::valueOf);
    }

    /** A setting of Redis; empty if this user may not read it, or this Redis does not have it. */
    public Optional<String> setting(String name) {
        List<?> reply = call("CONFIG", "GET", name).list();
        return reply.size() == 2 ? Optional.of(String.valueOf(reply.get(1))) : Optional.empty();
    }

    private static Map<String, String> parsed(String text) {
        Map<String, String> fields = new LinkedHashMap<>();
        text.lines().forEach(line -> {
            int colon = line.indexOf(':');
            if (colon > 0) {
                fields.put(line.substring(0, colon), line.substring(colon + 1));
            }
        });
        return fields;
    }

    @Override
    public void close() {
        connection.close();
        shutdown(client);
    }

    private static void shutdown(RedisClient client) {
        client.shutdown(0, 2, TimeUnit.SECONDS);
    }

    /** A command by its name. */
    private record Keyword(String text) implements ProtocolKeyword {

        @Override
        @SuppressWarnings("deprecation") // older versions of the driver still call this
        public String name() {
            return text;
        }

        @Override
        public byte[] getBytes() {
            return text.getBytes(StandardCharsets.US_ASCII);
        }
    }
}
