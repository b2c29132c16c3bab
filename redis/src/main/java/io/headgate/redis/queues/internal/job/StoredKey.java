package io.headgate.redis.queues.internal.job;

import io.headgate.queues.internal.Utf8;
import io.headgate.redis.internal.script.Packed;
import java.util.Optional;

/**
 * The stored form of a job's key: its UTF-8 bytes, preceded, for a job in a group, by the grouping key and a byte that never occurs in
 * UTF-8. So the same key in another group is another key, and scripts need no knowledge of groups.
 */
public final class StoredKey {

    private static final byte SEPARATOR = (byte) 0xff;

    private StoredKey() {}

    static byte[] bytes(Optional<String> group, String key) {
        byte[] own = Utf8.of(key);
        return group.map(name -> Packed.joined(new byte[][] {Utf8.of(name), {SEPARATOR}, own}))
                .orElse(own);
    }

    /** The job's key, without the grouping key. */
    static String key(byte[] bytes, int from, int length) {
        int start = keyStart(bytes, from, from + length);
        return Utf8.text(bytes, start, from + length - start);
    }

    /** The job's key and its grouping key, for errors and reports. */
    public static String display(byte[] stored) {
        int start = keyStart(stored, 0, stored.length);
        String key = Utf8.text(stored, start, stored.length - start);
        return start == 0 ? key : key + " of group " + Utf8.text(stored, 0, start - 1);
    }

    private static int keyStart(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            if (bytes[i] == SEPARATOR) {
                return i + 1;
            }
        }
        return from;
    }
}
