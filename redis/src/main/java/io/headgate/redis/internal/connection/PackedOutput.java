package io.headgate.redis.internal.connection;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A Lettuce output that encodes a reply of lists and strings as MessagePack, as the scripts do, in one byte array. The
 * array may be longer than its content. A map becomes a list of alternating names and values. A null reply and the
 * error NOGROUP become nil.
 */
final class PackedOutput extends CommandOutput<byte[], byte[], byte[]> {

    private static final int NIL = 0xc0;
    private static final int TEXT = 0xdb;
    private static final int LIST = 0xdd;

    /** The initial size, enough for a hundred small entries. */
    private static final int INITIAL_BYTES = 16 << 10;

    private byte[] packed = new byte[INITIAL_BYTES];
    private int length;

    PackedOutput() {
        super(ByteArrayCodec.INSTANCE, new byte[0]);
    }

    @Override
    @SuppressWarnings("NullAway") // null means no reply, for Lettuce and for a flight
    public byte[] get() {
        return length == 0 ? null : packed;
    }

    @Override
    public void set(@Nullable ByteBuffer bytes) {
        if (bytes == null) {
            reserve(1)[length++] = (byte) NIL;
            return;
        }
        int size = bytes.remaining();
        head(TEXT, size);
        bytes.get(reserve(size), length, size);
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
    @SuppressWarnings("NullAway") // null means no error for Lettuce
    public void setError(ByteBuffer text) {
        super.setError(text);
        if (error.startsWith("NOGROUP")) {
            error = null;
            set((ByteBuffer) null);
        }
    }

    private void head(int type, int number) {
        byte[] into = reserve(5);
        into[length++] = (byte) type;
        for (int shift = 24; shift >= 0; shift -= 8) {
            into[length++] = (byte) (number >>> shift);
        }
    }

    private byte[] reserve(int bytes) {
        if (packed.length - length < bytes) {
            packed = Arrays.copyOf(packed, Math.max(length + bytes, 2 * packed.length));
        }
        return packed;
    }
}
