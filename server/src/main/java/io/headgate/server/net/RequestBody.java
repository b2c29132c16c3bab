package io.headgate.server.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * Collects the body of a request in one buffer of the heap while it arrives. So its memory depends on its length only, and not on
 * the number of pieces in which the client sends it: each piece would take some fifty bytes beside its content, and may
 * retain a whole read buffer of the connection.
 */
final class RequestBody {

    /** A longer body is passed on in parts of this length, so that the service that receives it can refuse it. */
    private static final int MAX_BYTES = 64 * 1024;

    private ByteBuf collected = Unpooled.EMPTY_BUFFER;

    /** Copies the readable bytes, and returns false when there is no room for them. */
    boolean add(ByteBuf piece) {
        if (piece.readableBytes() > MAX_BYTES - collected.readableBytes()) {
            return false;
        }
        if (piece.isReadable()) {
            collected = collected.isReadable() ? collected : Unpooled.buffer(piece.readableBytes(), MAX_BYTES);
            collected.writeBytes(piece, piece.readerIndex(), piece.readableBytes());
        }
        return true;
    }

    /** Returns what was collected, and starts with an empty body. The caller releases it. */
    ByteBuf take() {
        ByteBuf taken = collected;
        collected = Unpooled.EMPTY_BUFFER;
        return taken;
    }
}
