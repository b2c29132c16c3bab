package io.headgate.redis.limits.internal.planner;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.RedisProbe;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;

/** The bytes of keys in Redis, to be compared with bytes that were computed by hand. */
record StoredState(RedisProbe probe) {

    /** Asserts that the state of a limit consists of these parts. Its expiry differs between runs, so zeros are expected instead. */
    void assertIs(String key, byte[]... parts) {
        ByteArrayOutputStream state = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            state.writeBytes(part);
        }
        byte[] stored = bytes("GET", key);
        // The two letters after the prefix h. Decision 0023 describes where the expiry is.
        String kind = key.substring(2, 4);
        int expiresAt = kind.endsWith("b") ? 23 : kind.equals("sw") ? 53 : 20;
        Arrays.fill(stored, expiresAt, expiresAt + (kind.endsWith("b") ? 5 : 7), (byte) 0);
        assertThat(stored).isEqualTo(state.toByteArray());
    }

    /** Asserts that the key expires in this range, but up to 10 s less may be left, because the test may be slow. */
    void assertExpires(String key, long fromMillis, long toMillis) {
        long left = (long) Objects.requireNonNull(probe.command("PTTL", key));
        assertThat(left).isBetween(fromMillis - 10_000, toMillis);
    }

    void assertUnchanged(String key, Runnable call) {
        byte[] before = bytes("DUMP", key);
        call.run();
        assertThat(bytes("DUMP", key)).isEqualTo(before);
    }

    long memory(String key) {
        return (long) Objects.requireNonNull(probe.command("MEMORY", "USAGE", key));
    }

    private byte[] bytes(String command, String key) {
        return (byte[]) Objects.requireNonNull(probe.commandBytes(utf8(command), utf8(key)));
    }

    static byte[] window(long first, long last, long count) {
        return pack(7, first, 7, last, 6, count, 7, 0);
    }

    static byte[] bucket(long last, long missing, long parts, long period) {
        return pack(7, last, 4, missing, 6, parts, 6, period, 5, 0);
    }

    /**
     * The header of a sliding window of one second, whose entries take 4 bytes: its fields as sliding_window.lua describes them, under
     * shorter names, of which {@code first} to {@code gone} describe the ring and the oldest block.
     */
    static byte[] header(
            long last,
            long most,
            long sum,
            long before,
            long forgotten,
            long first,
            long blocks,
            long capacity,
            long gone,
            long oldest,
            long newest) {
        return pack(
                1, 4, 7, last, 7, sum, 1, newest, 7, oldest, 7, before, 7, forgotten, 6, 1_000_000, 3, most, 7, 0, 7, 0,
                3, first, 3, blocks, 3, capacity, 1, gone);
    }

    static byte[] entry(long micros, int exponent) {
        return pack(4, micros * 32 + exponent);
    }

    /** Packs pairs of a number of bytes and the value in them, the highest byte first. */
    static byte[] pack(long... widthsAndValues) {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        for (int i = 0; i < widthsAndValues.length; i += 2) {
            for (long at = widthsAndValues[i] - 1; at >= 0; at--) {
                packed.write((int) (widthsAndValues[i + 1] >>> (8 * at)));
            }
        }
        return packed.toByteArray();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
