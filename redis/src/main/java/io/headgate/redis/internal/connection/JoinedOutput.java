package io.headgate.redis.internal.connection;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Takes a string of bytes, a number as 8 of them, or an array of such as one string: a script may return its parts as they are, and is spared the work of
 * joining them.
 */
final class JoinedOutput extends CommandOutput<byte[], byte[], byte[]> {

    private byte[] joined = new byte[0];
    private int length;
    private boolean any;

    JoinedOutput() {
        super(ByteArrayCodec.INSTANCE, new byte[0]);
    }

    @Override
    @SuppressWarnings("NullAway") // Lettuce takes null for no reply, and so does a flight
    public byte[] get() {
        if (!any) {
            return null;
        }
        return length == joined.length ? joined : Arrays.copyOf(joined, length);
    }

    @Override
    public void set(@Nullable ByteBuffer bytes) {
        if (bytes == null) {
            return;
        }
        any = true;
        int more = bytes.remaining();
        if (joined.length - length < more) {
            // One part alone, as most replies are, takes no more than it needs; of several each may be the last.
            joined = Arrays.copyOf(joined, length == 0 ? more : Math.max(length + more, 2 * joined.length));
        }
        bytes.get(joined, length, more);
        length += more;
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
