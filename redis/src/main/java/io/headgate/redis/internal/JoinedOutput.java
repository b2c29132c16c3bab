package io.headgate.redis.internal;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Takes a string of bytes, a number as 8 of them, or an array of such as one string: a script may return its parts as they are, and is spared the work of
 * joining them.
 */
final class JoinedOutput extends CommandOutput<byte[], byte[], byte[]> {

    private byte @Nullable [] joined;

    JoinedOutput() {
        super(ByteArrayCodec.INSTANCE, new byte[0]);
    }

    @Override
    @SuppressWarnings("NullAway") // Lettuce takes null for no reply, and so does a flight
    public byte[] get() {
        return joined;
    }

    @Override
    public void set(@Nullable ByteBuffer bytes) {
        if (bytes == null) {
            return;
        }
        byte[] before = joined == null ? new byte[0] : joined;
        byte[] all = new byte[before.length + bytes.remaining()];
        System.arraycopy(before, 0, all, 0, before.length);
        bytes.get(all, before.length, bytes.remaining());
        joined = all;
    }

    @Override
    public void set(long number) {
        set(ByteBuffer.allocate(Long.BYTES).putLong(0, number));
    }

    @Override
    public void multi(int count) {
        // Its parts come one by one.
    }
}
