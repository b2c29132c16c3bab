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
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The Redis that {@code headgate doctor} looks at: any command, of which an error reply is an answer, too. */
public final class Examined implements AutoCloseable {

    /** What the URL of a Redis must be. */
    public static final String WANTED =
            "the URL of Redis must be such as redis://127.0.0.1:6379, rediss://user:password@host:port/0,"
                    + " redis-sentinel://host:port,host:port#name, or redis-cluster://host:port,host:port";

    private static final Pattern CLUSTER = Pattern.compile("(rediss?)-cluster://([^@/?#]*@)?([^/?#,]*)[^/?#]*(.*)");

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;
    private final Map<String, Optional<Map<String, String>>> infos = new HashMap<>();

    /** What Redis replied: a list, or a string or number as the only one of a list; or an error. */
    public record Reply(List<?> list, Optional<String> error) {

        public boolean refused() {
            return error.filter(text -> text.startsWith("NOPERM")).isPresent();
        }

        public String text() {
            return list.isEmpty() ? "" : String.valueOf(list.get(0));
        }
    }

    private Examined(RedisClient client, StatefulRedisConnection<String, String> connection) {
        this.client = client;
        this.connection = connection;
    }

    /**
     * Where a Redis is, as told by whoever typed a command; of a Cluster the first node that is named.
     *
     * @throws IllegalArgumentException when it is not told so; as it may hold a password, it is not repeated
     */
    public static RedisURI at(String url) {
        try {
            RedisURI uri = RedisURI.create(CLUSTER.matcher(url).replaceFirst("$1://$2$3$4"));
            if (uri.getHost() != null || isBySentinels(uri)) {
                return uri;
            }
        } catch (IllegalArgumentException e) {
            // Said below, like a URL without a host.
        }
        throw new IllegalArgumentException(WANTED);
    }

    /** Whether it names nodes of a Cluster. */
    public static boolean isCluster(String url) {
        return CLUSTER.matcher(url).matches();
    }

    private static boolean isBySentinels(RedisURI uri) {
        return !uri.getSentinels().isEmpty() && uri.getSentinelMasterId() != null;
    }

    /** Where it is, without user and password: its own address, or those of sentinels and the name that they know it by. */
    public static String address(RedisURI uri) {
        return isBySentinels(uri)
                ? uri.getSentinels().stream()
                        .map(Examined::address)
                        .collect(Collectors.joining(",", "", "#" + uri.getSentinelMasterId()))
                : uri.getHost() + ":" + uri.getPort();
    }

    /**
     * Connects.
     *
     * @throws RedisException when it can't be reached
     */
    public static Examined connect(RedisURI uri, Duration timeout) {
        return connect(uri, timeout, Optional.empty());
    }

    /** The same with certificates. */
    static Examined connect(RedisURI uri, Duration timeout, Optional<SslOptions> tls) {
        uri.setTimeout(timeout);
        RedisClient client = RedisClient.create(uri);
        ClientOptions.Builder options = ClientOptions.builder()
                .autoReconnect(false)
                // Its replies are plain lists, and it needs no right to HELLO.
                .protocolVersion(ProtocolVersion.RESP2)
                // Which a Redis that can't write to its disk refuses (MISCONF).
                .pingBeforeActivateConnection(false)
                .socketOptions(SocketOptions.builder().connectTimeout(timeout).build())
                .timeoutOptions(TimeoutOptions.enabled(timeout));
        tls.ifPresent(options::sslOptions);
        client.setOptions(options.build());
        try {
            return new Examined(client, connection(client));
        } catch (RuntimeException e) {
            shutdown(client);
            throw e;
        }
    }

    /** Connects; a second time if the first failure does not say whether Redis refused. */
    private static StatefulRedisConnection<String, String> connection(RedisClient client) {
        try {
            return client.connect();
        } catch (RedisException e) {
            // Redis closes the connection after it has refused. On a busy machine the client library may see that first
            // (once in some
            // 240 times), and then its exception has no reason.
            if (hasNoReason(e)) {
                return client.connect();
            }
            throw e;
        }
    }

    private static boolean hasNoReason(Throwable failure) {
        return "Connection closed prematurely".equals(failure.getMessage())
                || (failure.getCause() != null && hasNoReason(failure.getCause()));
    }

    /**
     * Sends a command.
     *
     * @throws RedisException when no reply comes
     */
    public Reply ask(String command, String... arguments) {
        return ask(connection, command, arguments);
    }

    /**
     * The same over a connection of its own, as it may leave that in another state.
     *
     * @throws RedisException when no reply comes
     */
    public Reply askApart(String command, String... arguments) {
        try (StatefulRedisConnection<String, String> apart = connection(client)) {
            return ask(apart, command, arguments);
        }
    }

    private static Reply ask(StatefulRedisConnection<String, String> connection, String command, String... arguments) {
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

    /** A section of INFO by name, unless this user may not ask. */
    public Optional<Map<String, String>> info(String section) {
        return infos.computeIfAbsent(section, name -> {
            Reply reply = ask("INFO", name);
            return reply.error().isPresent() ? Optional.empty() : Optional.of(parsed(reply.text()));
        });
    }

    /** A number of a section of INFO, if it is there. */
    public Optional<Double> number(String section, String field) {
        return info(section).map(fields -> fields.get(field)).map(Double::valueOf);
    }

    /** A setting, unless this user may not ask, or this Redis has none of that name. */
    public Optional<String> setting(String name) {
        List<?> reply = ask("CONFIG", "GET", name).list();
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

    /** The name of any command. */
    private record Keyword(String text) implements ProtocolKeyword {

        @Override
        @SuppressWarnings("deprecation") // which the driver's versions that are older still ask for
        public String name() {
            return text;
        }

        @Override
        public byte[] getBytes() {
            return text.getBytes(StandardCharsets.US_ASCII);
        }
    }
}
