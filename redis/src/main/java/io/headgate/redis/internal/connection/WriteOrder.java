package io.headgate.redis.internal.connection;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Tracks whether commands of other threads wait to be written. Lettuce writes to each connection from its event loop: a
 * command sent from that thread is written immediately, while commands of other threads are queued first. So commands
 * of the event loop may overtake those of other threads.
 */
final class WriteOrder {

    private final AtomicLong sentByOthers = new AtomicLong();
    private final AtomicLong written = new AtomicLong();
    private volatile @Nullable Thread writer;

    /** Whether the current thread is the event loop and commands of other threads are queued. */
    boolean mayOvertake() {
        return Thread.currentThread() == writer && sentByOthers.get() != written.get();
    }

    /** Creates the arguments of the command that this thread sends next. */
    CommandArgs<byte[], byte[]> arguments() {
        if (Thread.currentThread() == writer) {
            return new CommandArgs<>(ByteArrayCodec.INSTANCE);
        }
        sentByOthers.incrementAndGet();
        return new CountedArguments();
    }

    /** Clears the queue: its commands are not written, because the connection broke. */
    void clear() {
        written.set(sentByOthers.get());
    }

    /** Arguments that count their command as written when it is encoded. */
    private final class CountedArguments extends CommandArgs<byte[], byte[]> {

        private boolean isCounted;

        CountedArguments() {
            super(ByteArrayCodec.INSTANCE);
        }

        @Override
        public void encode(ByteBuf into) {
            super.encode(into);
            writer = Thread.currentThread();
            if (!isCounted) {
                isCounted = true;
                written.incrementAndGet();
            }
        }
    }
}
