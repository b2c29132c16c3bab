package io.headgate.server.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * Collects the body of a request in one buffer on the heap, whose memory is charged to the quota of the client. So the memory depends only
 * on the length of the body, not on the number of pieces in which the client sends it. A separate piece would take about 50 bytes more
 * than its content, and could retain a whole read buffer of the connection.
 */
final class RequestBody {

    /** The maximum length. A longer body is passed on in parts of this length, so that its service can reject it. */
    static final int MAX_BYTES = ConnectionBounds.MAX_BODY_BYTES;

    private final Quota bytes;
    private ByteBuf collected = Unpooled.EMPTY_BUFFER;

    /** An empty body whose memory is charged to this quota. */
    RequestBody(Quota bytes) {
        this.bytes = bytes;
    }

    /** Copies the readable bytes; returns false if there is no room for them. */
    boolean add(ByteBuf piece) {
        if (piece.readableBytes() > MAX_BYTES - collected.readableBytes()) {
            return false;
        }
        if (piece.isReadable()) {
            int before = collected.capacity();
            collected = collected.isReadable() ? collected : Unpooled.buffer(piece.readableBytes(), MAX_BYTES);
            collected.writeBytes(piece, piece.readerIndex(), piece.readableBytes());
            bytes.add(collected.capacity() - before);
        }
        return true;
    }

    /** Returns the collected bytes, and starts with an empty body. The caller releases them. */
    ByteBuf take() {
        ByteBuf taken = collected;
        collected = Unpooled.EMPTY_BUFFER;
        bytes.remove(taken.capacity());
        return taken;
    }

    /** Drops the collected bytes. */
    void discard() {
        take().release();
    }
}
