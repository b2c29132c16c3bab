package io.headgate.redis.internal.connection;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Knows whether commands wait to be written. The client library has one thread write to a connection: what that thread sends
 * is written at once, what others send when their turn comes, so the first may overtake the second.
 */
final class WriteOrder {

    private final AtomicLong sentByOthers = new AtomicLong();
    private final AtomicLong written = new AtomicLong();
    private volatile @Nullable Thread writer;

    /** Whether the thread that writes asks, and there is something that others have sent before. */
    boolean mayOvertake() {
        return Thread.currentThread() == writer && sentByOthers.get() != written.get();
    }

    /** Of a command that is sent by this thread, next. */
    CommandArgs<byte[], byte[]> arguments() {
        if (Thread.currentThread() == writer) {
            return new CommandArgs<>(ByteArrayCodec.INSTANCE);
        }
        sentByOthers.incrementAndGet();
        return new Awaited();
    }

    /** What waits is not written any more, as the connection is gone. */
    void forget() {
        written.set(sentByOthers.get());
    }

    /** Tells when it is written. */
    private final class Awaited extends CommandArgs<byte[], byte[]> {

        private boolean told;

        Awaited() {
            super(ByteArrayCodec.INSTANCE);
        }

        @Override
        public void encode(ByteBuf into) {
            super.encode(into);
            writer = Thread.currentThread();
            if (!told) {
                told = true;
                written.incrementAndGet();
            }
        }
    }
}
