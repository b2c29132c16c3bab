package io.headgate.redis.limits.internal;

import io.headgate.limits.hotkeys.HotKey;
import io.headgate.limits.hotkeys.KeyCounts;
import io.headgate.limits.hotkeys.TopKeys;
import io.headgate.limits.internal.BoundedId;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes and decodes the hot keys of a policy in one instance and minute. Lengths in bytes are in parentheses:
 *
 * <ul>
 *   <li>the length of the rest (4), the version (1), and {@link TopKeys#oneIn()} (4);
 *   <li>the counts of requests, then those of denials: total (8), unlisted (8), number of keys (2), and the keys;
 *   <li>each key: its rule (text), number of ids (1), ids (texts), count (8), and error (8);
 *   <li>each text: its length in bytes (2), and its UTF-8. An id that UTF-8 can't encode is replaced by its hash.
 * </ul>
 *
 * <p>The counts of requests may take half of the maximum length, and those of denials the other half. The keys with the lowest counts
 * that do not fit are omitted, and {@code unlisted}, the highest possible count of an omitted key, is raised accordingly.
 */
public final class HotKeysPart {

    /** The maximum length of the result. */
    static final int MAX_BYTES = 16 * 1024;

    private static final int VERSION = 1;
    private static final int HEAD_BYTES = 9;
    private static final int COUNTS_BYTES = 18;
    private static final int MAX_KEYS_BYTES = (MAX_BYTES - HEAD_BYTES) / 2 - COUNTS_BYTES;

    private HotKeysPart() {}

    public static byte[] encode(TopKeys keys) {
        byte[] requested = encode(keys.requested());
        byte[] denied = encode(keys.denied());
        return ByteBuffer.allocate(HEAD_BYTES + requested.length + denied.length)
                .putInt(HEAD_BYTES - Integer.BYTES + requested.length + denied.length)
                .put((byte) VERSION)
                .putInt(keys.oneIn())
                .put(requested)
                .put(denied)
                .array();
    }

    private static byte[] encode(KeyCounts counts) {
        ByteArrayOutputStream entries = new ByteArrayOutputStream();
        int fit = 0;
        for (HotKey key : counts.keys()) {
            byte[] entry = encode(key);
            if (entries.size() + entry.length > MAX_KEYS_BYTES) {
                break;
            }
            entries.writeBytes(entry);
            fit++;
        }
        KeyCounts first = counts.first(fit);
        return ByteBuffer.allocate(COUNTS_BYTES + entries.size())
                .putLong(first.total())
                .putLong(first.unlisted())
                .putShort((short) fit)
                .put(entries.toByteArray())
                .array();
    }

    private static byte[] encode(HotKey key) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            text(out, key.rule());
            out.writeByte(key.ids().size());
            for (String id : key.ids()) {
                text(out, BoundedId.encodable(id));
            }
            out.writeLong(key.count());
            out.writeLong(key.error());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static void text(DataOutputStream out, String text) throws IOException {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        out.writeShort(utf8.length);
        out.write(utf8);
    }

    /** Decodes consecutive parts; parts of other versions are skipped. */
    public static List<TopKeys> decode(String policy, Instant from, byte[] joined) {
        List<TopKeys> parts = new ArrayList<>();
        ByteBuffer all = ByteBuffer.wrap(joined);
        try {
            while (all.hasRemaining()) {
                int length = all.getInt();
                ByteBuffer part = all.slice(all.position(), length);
                all.position(all.position() + length);
                if (part.get() == VERSION) {
                    int oneIn = part.getInt();
                    parts.add(new TopKeys(policy, from, counts(part), counts(part), oneIn));
                }
            }
        } catch (BufferUnderflowException | IndexOutOfBoundsException | IllegalArgumentException e) {
            throw new IllegalStateException("hot keys of policy " + policy + " are not as Headgate writes them", e);
        }
        return parts;
    }

    private static KeyCounts counts(ByteBuffer part) {
        long total = part.getLong();
        long unlisted = part.getLong();
        int size = part.getShort();
        List<HotKey> keys = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            String rule = text(part);
            int ids = part.get();
            List<String> texts = new ArrayList<>(1);
            for (int j = 0; j < ids; j++) {
                texts.add(text(part));
            }
            keys.add(new HotKey(rule, texts, part.getLong(), part.getLong()));
        }
        return new KeyCounts(total, unlisted, keys);
    }

    private static String text(ByteBuffer part) {
        byte[] utf8 = new byte[Short.toUnsignedInt(part.getShort())];
        part.get(utf8);
        return new String(utf8, StandardCharsets.UTF_8);
    }
}
