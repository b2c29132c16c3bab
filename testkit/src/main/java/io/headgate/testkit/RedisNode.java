package io.headgate.testkit;

import io.headgate.testkit.internal.RedisUrl;
import io.headgate.testkit.internal.RespConnection;
import io.headgate.testkit.internal.RespReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A server of a Cluster or a Sentinel deployment, which may be dead or paused. */
record RedisNode(RedisServer server) implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    /**
     * Runs a command and returns its reply as text, with a line per element of a list; empty if the server is dead or does not answer, or
     * the reply is nil or an error.
     */
    Optional<String> tryRun(String... command) {
        return server.isAlive()
                ? reply(command)
                        .filter(reply -> !(reply instanceof RespReader.Failure))
                        .map(RedisNode::text)
                : Optional.empty();
    }

    /**
     * Runs a command and returns its reply: a {@code byte[]}, a {@link Long} or a {@link List}.
     *
     * @throws IllegalStateException when the server does not answer, or returns nil or an error
     */
    Object run(String... command) {
        Object reply = reply(command).orElse("no answer");
        if (reply instanceof byte[] || reply instanceof List<?> || reply instanceof Long) {
            return reply;
        }
        throw new IllegalStateException(String.join(" ", command) + " at " + server.url() + ": " + reply);
    }

    /** The values of INFO or CLUSTER INFO by their names; empty if it does not answer. */
    Map<String, String> values(String... command) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String line : tryRun(command).orElse("").split("\r?\n")) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                values.put(line.substring(0, colon), line.substring(colon + 1));
            }
        }
        return values;
    }

    private Optional<Object> reply(String... command) {
        try (RespConnection connection = RespConnection.open(RedisUrl.parse(server.url()), TIMEOUT)) {
            return Optional.ofNullable(connection.call(command));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    static String text(Object reply) {
        if (reply instanceof byte[] bytes) {
            return new String(bytes, StandardCharsets.UTF_8);
        }
        if (reply instanceof List<?> list) {
            List<String> texts = new ArrayList<>();
            list.forEach(part -> texts.add(part == null ? "" : text(part)));
            return String.join("\n", texts);
        }
        return String.valueOf(reply);
    }

    @Override
    public void close() {
        server.close();
    }

    /** Closes all nodes, even if one fails. */
    static void closeAll(List<RedisNode> nodes) {
        List<RuntimeException> failed = new ArrayList<>();
        for (RedisNode node : nodes) {
            try {
                node.close();
            } catch (RuntimeException e) {
                failed.add(e);
            }
        }
        if (!failed.isEmpty()) {
            throw failed.get(0);
        }
    }
}
