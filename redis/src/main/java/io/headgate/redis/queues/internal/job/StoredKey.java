package io.headgate.redis.queues.internal.job;

import io.headgate.queues.internal.Utf8;
import io.headgate.redis.internal.script.Packed;
import java.util.Optional;

/**
 * The stored form of a job key: its UTF-8 bytes. For a job in a group, they are preceded by the grouping key and a separator byte that
 * never occurs in UTF-8. So the same key in another group is another stored key, and scripts need no knowledge of groups. For a job with
 * a tenant, the tenant and another separator byte come first. An audit reads the tenant from them, to search the waiting jobs of this
 * tenant for the job.
 */
public final class StoredKey {

    private static final byte SEPARATOR = (byte) 0xff;
    private static final byte TENANT_SEPARATOR = (byte) 0xfe;

    private StoredKey() {}

    static byte[] bytes(Optional<String> tenant, Optional<String> group, String key) {
        byte[] own = Utf8.of(key);
        byte[] inGroup = group.map(name -> Packed.joined(new byte[][] {Utf8.of(name), {SEPARATOR}, own}))
                .orElse(own);
        return tenant.map(name -> Packed.joined(new byte[][] {Utf8.of(name), {TENANT_SEPARATOR}, inGroup}))
                .orElse(inGroup);
    }

    /** Returns the job key, without the tenant and the grouping key. */
    static String key(byte[] bytes, int from, int length) {
        int start = after(SEPARATOR, bytes, after(TENANT_SEPARATOR, bytes, from, from + length), from + length);
        return Utf8.text(bytes, start, from + length - start);
    }

    /** Returns a text with the job key, the grouping key and the tenant, for errors and reports. */
    public static String display(byte[] stored) {
        int group = after(TENANT_SEPARATOR, stored, 0, stored.length);
        int start = after(SEPARATOR, stored, group, stored.length);
        String key = Utf8.text(stored, start, stored.length - start);
        return key
                + (start == group ? "" : " of group " + Utf8.text(stored, group, start - 1 - group))
                + (group == 0 ? "" : " of tenant " + Utf8.text(stored, 0, group - 1));
    }

    /** Returns the position after the first separator; {@code from} if there is none. */
    private static int after(byte separator, byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            if (bytes[i] == separator) {
                return i + 1;
            }
        }
        return from;
    }
}
