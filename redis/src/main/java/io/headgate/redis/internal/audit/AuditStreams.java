package io.headgate.redis.internal.audit;

import io.headgate.redis.internal.script.Packed;
import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.redis.internal.script.ScriptFiles;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The streams of the audit log, and their script calls. Without I/O.
 *
 * <p>Each kind of records has a stream of its own, so that those which clients or programs cause at any rate displace no others.
 */
public final class AuditStreams {

    /** The most entries of each stream. Redis removes older ones in blocks, so a stream may have about 100 more. */
    public static final int MAX_ENTRIES = 10_000;

    /** How long a stream is kept after its last record. */
    public static final Duration RETENTION = Duration.ofDays(400);

    private static final ScriptFiles FILES = ScriptFiles.in("audit", "audit");
    private static final Script APPEND = FILES.script("append", Map.of());
    private static final Script READ = FILES.script("read", Map.of());

    /** All scripts. */
    static final List<Script> ALL = List.of(APPEND, READ);

    private final String[] keys;

    /** A stream, in the order of the keys. */
    public enum Stream {
        /** Changes of policies, queues, or many bans or jobs. */
        CHANGES(1),
        /** Changes of single bans and jobs. */
        ITEMS(2),
        /** What clients can cause at any rate. */
        EVENTS(3);

        /** The number of the key in the scripts. */
        private final int number;

        Stream(int number) {
            this.number = number;
        }
    }

    /** Creates the calls for the log of a key prefix. */
    public AuditStreams(String prefix) {
        this.keys = Arrays.stream(Stream.values())
                .map(stream -> prefix + ":{audit}:" + stream.name().toLowerCase(Locale.ROOT))
                .toArray(String[]::new);
    }

    /** A record to append. */
    public record Draft(Stream stream, Map<String, String> fields) {}

    /** A stored record. */
    public record Stored(String id, Map<String, String> fields) {}

    /** The key of the stream of changes, for messages. */
    public String key() {
        return keys[0];
    }

    /** Whether these are the keys of the streams. */
    public boolean hasKeys(List<String> given) {
        return List.of(keys).equals(given);
    }

    /** Appends records in one call; returns the id of the last one. */
    public ScriptCall<String> append(List<Draft> records) {
        List<byte[]> arguments = new ArrayList<>();
        arguments.add(Packed.text(MAX_ENTRIES));
        arguments.add(Packed.text(RETENTION.toMillis()));
        for (Draft record : records) {
            arguments.add(Packed.text(record.stream().number));
            arguments.add(Packed.text(2L * record.fields().size()));
            record.fields().forEach((field, value) -> {
                arguments.add(utf8(field));
                arguments.add(utf8(value));
            });
        }
        return new ScriptCall<>(APPEND, keys, arguments.toArray(new byte[0][]), AuditStreams::text);
    }

    /** Reads the first records after an id, or the first of all if it is empty; oldest first. */
    public ScriptCall<List<Stored>> after(String id, int max) {
        return read("after", id, max);
    }

    /** Reads the last records before an id, or the last of all if it is empty; oldest first. */
    public ScriptCall<List<Stored>> before(String id, int max) {
        return read("before", id, max);
    }

    private ScriptCall<List<Stored>> read(String direction, String id, int max) {
        byte[][] arguments = {utf8(direction), utf8(id), Packed.text(max)};
        return new ScriptCall<>(READ, keys, arguments, AuditStreams::stored);
    }

    private static List<Stored> stored(byte[] reply) {
        List<String> parts = new ArrayList<>();
        for (int at = 0; at < reply.length; ) {
            int length = (int) Packed.number(reply, at, Integer.BYTES);
            parts.add(new String(reply, at + Integer.BYTES, length, StandardCharsets.UTF_8));
            at += Integer.BYTES + length;
        }
        List<Stored> records = new ArrayList<>();
        for (int at = 0; at < parts.size(); ) {
            int length = Integer.parseInt(parts.get(at + 1));
            Map<String, String> fields = new LinkedHashMap<>();
            for (int i = at + 2; i < at + 2 + length; i += 2) {
                fields.put(parts.get(i), parts.get(i + 1));
            }
            records.add(new Stored(parts.get(at), fields));
            at += 2 + length;
        }
        return records;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] reply) {
        return new String(reply, StandardCharsets.UTF_8);
    }
}
