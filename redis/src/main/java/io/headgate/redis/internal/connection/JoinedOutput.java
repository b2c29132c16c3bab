package io.headgate.redis.internal.connection;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A Lettuce output that concatenates the parts of a reply: a string, a number as 8 bytes, or an array of these. A
 * script can thus return its parts unchanged and need not concatenate them.
 */
final class JoinedOutput extends CommandOutput<byte[], byte[], byte[]> {

    private byte[] joined = new byte[0];
    private int length;
    private boolean any;

    JoinedOutput() {
        super(ByteArrayCodec.INSTANCE, new byte[0]);
    }

    @Override
    @SuppressWarnings("NullAway") // null means no reply, for Lettuce and for a flight
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
            // A single part, the most frequent case, is allocated exactly; further parts double the array.
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
        // The parts follow in calls of set.
    }
}
