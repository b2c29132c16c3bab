package io.headgate.redis.internal.connection;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Takes a reply of lists and texts as MessagePack, as scripts pack them, in one piece of memory, which may be longer; a map is a list
 * of names and values. Nothing at all, or that a group is missing, is nil.
 */
final class PackedOutput extends CommandOutput<byte[], byte[], byte[]> {

    private static final int NIL = 0xc0;
    private static final int TEXT = 0xdb;
    private static final int LIST = 0xdd;

    /** As a hundred small entries have. */
    private static final int LEAST = 16 << 10;

    private byte[] packed = new byte[LEAST];
    private int length;

    PackedOutput() {
        super(ByteArrayCodec.INSTANCE, new byte[0]);
    }

    @Override
    @SuppressWarnings("NullAway") // Lettuce takes null for no reply, and so does a flight
    public byte[] get() {
        return length == 0 ? null : packed;
    }

    @Override
    public void set(@Nullable ByteBuffer bytes) {
        if (bytes == null) {
            room(1)[length++] = (byte) NIL;
            return;
        }
        int size = bytes.remaining();
        head(TEXT, size);
        bytes.get(room(size), length, size);
        length += size;
    }

    @Override
    public void multi(int count) {
        if (count < 0) {
            set((ByteBuffer) null);
        } else {
            head(LIST, count);
        }
    }

    @Override
    @SuppressWarnings("NullAway") // Lettuce takes null for no error
    public void setError(ByteBuffer text) {
        super.setError(text);
        if (error.startsWith("NOGROUP")) {
            error = null;
            set((ByteBuffer) null);
        }
    }

    private void head(int type, int number) {
        byte[] into = room(5);
        into[length++] = (byte) type;
        for (int shift = 24; shift >= 0; shift -= 8) {
            into[length++] = (byte) (number >>> shift);
        }
    }

    private byte[] room(int bytes) {
        if (packed.length - length < bytes) {
            packed = Arrays.copyOf(packed, Math.max(length + bytes, 2 * packed.length));
        }
        return packed;
    }
}
