package io.headgate.redis.config;

import io.headgate.redis.internal.script.Packed;
import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.redis.internal.script.ScriptFiles;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The script calls of a configuration. Without I/O. */
final class ConfigScripts {

    /** The most versions that are kept. */
    static final int MAX_VERSIONS = 100;

    /** The most bytes of the texts of all versions that are kept, unless the last two have more. */
    static final long MAX_BYTES_OF_ALL = 64L << 20;

    private static final ScriptFiles FILES = ScriptFiles.in("config", "versions");

    /** The operation of a call that writes, for messages. */
    static final String WRITE_OPERATION = "write";

    private static final Script WRITE = FILES.script(WRITE_OPERATION, Map.of());
    private static final Script REMOVE = FILES.script("remove", Map.of());
    private static final Script CURRENT = FILES.script("current", "read", Map.of());
    private static final Script CURRENT_ID = FILES.script("current_id", "read", Map.of());
    private static final Script FIND = FILES.script("find", "read", Map.of());
    private static final Script HISTORY = FILES.script("history", Map.of());

    /** All scripts. */
    static final List<Script> ALL = List.of(WRITE, REMOVE, CURRENT, CURRENT_ID, FIND, HISTORY);

    /** The lines of a description before the names of the texts. */
    private static final int LINES = 5;

    private final String key;
    private final String channel;
    private final long maxBytesOfAll;

    /**
     * Creates calls for the configuration with this key.
     *
     * @param channel the channel on which each change is published
     * @param maxBytesOfAll the most bytes of the texts of all versions, unless the last two have more
     */
    ConfigScripts(String key, String channel, long maxBytesOfAll) {
        this.key = key;
        this.channel = channel;
        this.maxBytesOfAll = maxBytesOfAll;
    }

    ScriptCall<ConfigWrite> write(ConfigDraft draft, Optional<String> replaces) {
        byte[][] arguments = new byte[8 + 2 * draft.texts().size()][];
        arguments[0] = utf8(replaces.orElse(""));
        arguments[1] = utf8(draft.digest());
        arguments[2] = Packed.text(draft.bytes());
        arguments[3] = utf8(draft.by());
        arguments[4] = utf8(draft.reason());
        arguments[5] = Packed.text(MAX_VERSIONS);
        arguments[6] = Packed.text(maxBytesOfAll);
        arguments[7] = utf8(channel);
        int at = 8;
        for (Map.Entry<String, String> text : draft.texts().entrySet()) {
            arguments[at++] = utf8(text.getKey());
            arguments[at++] = utf8(text.getValue());
        }
        return call(WRITE, arguments, reply -> {
            String text = text(reply);
            return new ConfigWrite(text.startsWith("1"), described(text.substring(1)));
        });
    }

    /** Removes all versions, if the current one is the expected one. */
    ScriptCall<Boolean> remove(String expected) {
        return call(REMOVE, new byte[][] {utf8(expected), utf8(channel)}, reply -> text(reply)
                .equals("1"));
    }

    ScriptCall<Optional<ConfigVersion>> current() {
        return call(CURRENT, new byte[0][], reply -> described(text(reply)));
    }

    ScriptCall<Optional<String>> currentId() {
        return call(CURRENT_ID, new byte[0][], reply -> Optional.of(text(reply)).filter(id -> !id.isEmpty()));
    }

    /** Finds a version by its number, or the current one. */
    ScriptCall<Optional<StoredConfig>> find(Optional<String> number) {
        return call(FIND, new byte[][] {utf8(number.orElse(""))}, reply -> {
            List<String> parts = parts(reply);
            return parts.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new StoredConfig(version(parts.get(0)), parts.subList(1, parts.size())));
        });
    }

    ScriptCall<List<ConfigVersion>> history(int max) {
        return call(HISTORY, new byte[][] {Packed.text(max)}, reply -> parts(reply).stream()
                .map(ConfigScripts::version)
                .toList());
    }

    private <T> ScriptCall<T> call(Script script, byte[][] arguments, ScriptCall.Decoder<T> decoder) {
        return new ScriptCall<>(script, new String[] {key}, arguments, decoder);
    }

    private static Optional<ConfigVersion> described(String description) {
        return description.isEmpty() ? Optional.empty() : Optional.of(version(description));
    }

    private static ConfigVersion version(String description) {
        String[] lines = description.split("\n");
        return new ConfigVersion(
                lines[0],
                Instant.EPOCH.plus(Long.parseLong(lines[1]), ChronoUnit.MICROS),
                lines[3],
                lines[4],
                List.of(lines).subList(LINES, lines.length));
    }

    /** Splits a reply into texts, each with its length in front of it. */
    static List<String> parts(byte[] reply) {
        List<String> parts = new ArrayList<>();
        for (int at = 0; at < reply.length; ) {
            int length = (int) Packed.number(reply, at, Integer.BYTES);
            parts.add(new String(reply, at + Integer.BYTES, length, StandardCharsets.UTF_8));
            at += Integer.BYTES + length;
        }
        return parts;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] reply) {
        return new String(reply, StandardCharsets.UTF_8);
    }
}
