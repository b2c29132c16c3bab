package io.headgate.testkit;

import io.headgate.testkit.internal.RedisUrl;
import io.headgate.testkit.internal.RespConnection;
import io.headgate.testkit.internal.RespReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Sends commands to a Redis without the client library that is under test.
 *
 * <pre>{@code
 * try (RedisProbe probe = RedisProbe.of(redis.url())) {
 *     probe.command("SET", "greeting", "hello");
 *     assertThat(probe.keysWithoutExpiry("*")).containsExactly("greeting");
 * }
 * }</pre>
 *
 * <p>It connects at its first use, and again after a connection failed. Each command waits up to ten seconds for its reply. Safe
 * for use by several threads, whose commands are sent one after the other.
 */
public final class RedisProbe implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final long NEVER_EXPIRES = -1;

    private final RedisUrl url;
    private final ReentrantLock lock = new ReentrantLock();
    private Optional<RespConnection> connection = Optional.empty();

    private RedisProbe(RedisUrl url) {
        this.url = url;
    }

    /** A probe of the Redis at {@code redis://[[user]:password@]host[:port][/database]}. */
    public static RedisProbe of(String url) {
        return new RedisProbe(RedisUrl.parse(url));
    }

    /**
     * Sends a command and returns its reply: a {@link String} for every kind of string, read as UTF-8; a {@link Long};
     * a {@link List} of these; null for nil. An error inside a list is its text.
     *
     * @throws ErrorReply when Redis replies with an error
     * @throws UncheckedIOException when no reply arrives
     */
    public @Nullable Object command(String... command) {
        return asText(call(Arrays.stream(command)
                .map(part -> part.getBytes(StandardCharsets.UTF_8))
                .toArray(byte[][]::new)));
    }

    /**
     * Sends a command of bytes, and returns its reply as {@link #command} does, but each string as a {@code byte[]}.
     *
     * @throws ErrorReply when Redis replies with an error
     * @throws UncheckedIOException when no reply arrives
     */
    public @Nullable Object commandBytes(byte[]... command) {
        return call(command);
    }

    /** A section of INFO, such as {@code memory}: its values by name, in its order. */
    public Map<String, String> info(String section) {
        Map<String, String> values = new LinkedHashMap<>();
        String text = String.valueOf(command("INFO", section));
        for (String line : text.split("\r\n")) {
            int colon = line.indexOf(':');
            if (colon > 0 && !line.startsWith("#")) {
                values.put(line.substring(0, colon), line.substring(colon + 1));
            }
        }
        return values;
    }

    /**
     * How often each command was called since the server started or {@code CONFIG RESETSTAT}, by its name in upper case, such as
     * {@code EVALSHA} or {@code CONFIG|GET} (before Redis 7, {@code CONFIG}). Calls by scripts and by this probe are included.
     */
    public Map<String, Long> commandCalls() {
        Map<String, Long> calls = new TreeMap<>();
        info("commandstats").forEach((name, value) -> {
            String counted = value.substring("calls=".length(), value.indexOf(','));
            calls.put(name.substring("cmdstat_".length()).toUpperCase(Locale.ROOT), Long.valueOf(counted));
        });
        return calls;
    }

    /**
     * The keys of the database that match the pattern and have no expiry, sorted. A key that is not UTF-8 is shown with escapes such as
     * {@code \xff}.
     *
     * @param pattern a pattern of SCAN: {@code *} for all keys
     */
    public List<String> keysWithoutExpiry(String pattern) {
        List<String> found = new ArrayList<>();
        byte[] cursor = utf8("0");
        do {
            List<?> page = (List<?>)
                    required(call(utf8("SCAN"), cursor, utf8("MATCH"), utf8(pattern), utf8("COUNT"), utf8("1000")));
            cursor = (byte[]) required(page.get(0));
            for (Object key : (List<?>) required(page.get(1))) {
                byte[] name = (byte[]) required(key);
                if (required(call(utf8("TTL"), name)).equals(NEVER_EXPIRES)) {
                    found.add(printable(name));
                }
            }
        } while (!Arrays.equals(cursor, utf8("0")));
        return found.stream().distinct().sorted().toList();
    }

    /** Removes every key of every database. */
    public void flushAll() {
        command("FLUSHALL");
    }

    @Override
    public void close() {
        lock.lock();
        try {
            disconnect();
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Object call(byte[]... command) {
        if (command.length == 0) {
            throw new IllegalArgumentException("a command must have a name, but was empty");
        }
        lock.lock();
        try {
            RespConnection open = connection.isPresent() ? connection.get() : RespConnection.open(url, TIMEOUT);
            connection = Optional.of(open);
            Object reply = open.call(command);
            if (reply instanceof RespReader.Failure failure) {
                throw new ErrorReply(failure.message());
            }
            return reply;
        } catch (IOException e) {
            disconnect();
            throw new UncheckedIOException(
                    "no reply to " + printable(command[0]) + " from " + url.withoutCredentials() + ": " + e, e);
        } finally {
            lock.unlock();
        }
    }

    private void disconnect() {
        try {
            if (connection.isPresent()) {
                connection.get().close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot close the connection to " + url.withoutCredentials(), e);
        } finally {
            connection = Optional.empty();
        }
    }

    private static @Nullable Object asText(@Nullable Object value) {
        if (value instanceof byte[] bytes) {
            return new String(bytes, StandardCharsets.UTF_8);
        }
        if (value instanceof RespReader.Failure failure) {
            return failure.message();
        }
        if (value instanceof List<?> list) {
            List<@Nullable Object> texts = new ArrayList<>();
            list.forEach(element -> texts.add(asText(element)));
            return texts;
        }
        return value;
    }

    private static Object required(@Nullable Object value) {
        if (value == null) {
            throw new IllegalStateException("nil where Redis replies a value");
        }
        return value;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String printable(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            StringBuilder shown = new StringBuilder();
            for (byte b : bytes) {
                shown.append(b >= 0x20 && b < 0x7f ? String.valueOf((char) b) : String.format("\\x%02x", b & 0xff));
            }
            return shown.toString();
        }
    }

    /** An error that Redis replied, with its text as the message. */
    public static final class ErrorReply extends RuntimeException {

        private static final long serialVersionUID = 1;

        ErrorReply(String message) {
            super(message);
        }
    }
}
