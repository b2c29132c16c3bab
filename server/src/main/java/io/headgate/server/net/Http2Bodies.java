package io.headgate.server.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Collects the DATA frames of each stream of one HTTP/2 connection in a {@link RequestBody}. Resets a stream if the quota of the client,
 * or of all clients, is used up before its body has arrived. Runs on the connection's event loop.
 */
final class Http2Bodies extends Http2FrameListenerDecorator {

    private final ClientQuotas quotas;

    /** The body of each stream, from its first DATA frame until the stream is closed. */
    private final Map<Integer, RequestBody> bodies = new HashMap<>();

    /** Passes bodies on to a listener. */
    Http2Bodies(Http2FrameListener listener, ClientQuotas quotas) {
        super(listener);
        this.quotas = quotas;
    }

    /** Drops the body of a stream that is closed. */
    void closed(int streamId) {
        @Nullable RequestBody body = bodies.remove(streamId);
        if (body != null) {
            body.discard();
        }
    }

    /** Drops all bodies, because the connection is closed. */
    void closeAll() {
        bodies.values().forEach(RequestBody::discard);
        bodies.clear();
    }

    @Override
    public int onDataRead(ChannelHandlerContext ctx, int streamId, ByteBuf data, int padding, boolean endOfStream)
            throws Http2Exception {
        if (!endOfStream && collect(ctx, streamId, data)) {
            return padding; // the listener counts the rest as consumed when it has the body
        }
        return passOn(ctx, streamId) + super.onDataRead(ctx, streamId, data, padding, endOfStream);
    }

    /** Adds the data to the body of the stream; returns false if the body has no room for it. Throws if the quota is used up. */
    private boolean collect(ChannelHandlerContext ctx, int streamId, ByteBuf data) throws Http2Exception {
        if (quotas.bodyBytes().isFull()) {
            quotas.bodyRefused().run();
            // Ends the request as if the client had reset the stream. Otherwise, it would wait for the rest of the
            // body until its timeout.
            super.onRstStreamRead(ctx, streamId, Http2Error.ENHANCE_YOUR_CALM.code());
            throw Http2Exception.streamError(
                    streamId, Http2Error.ENHANCE_YOUR_CALM, "incomplete bodies have reached their maximum size");
        }
        return bodies.computeIfAbsent(streamId, added -> new RequestBody(quotas.bodyBytes()))
                .add(data);
    }

    /** Netty calls this method for all header sections; those of a stream with a body are its trailers. */
    @Override
    public void onHeadersRead(
            ChannelHandlerContext ctx,
            int streamId,
            Http2Headers headers,
            int streamDependency,
            short weight,
            boolean exclusive,
            int padding,
            boolean endOfStream)
            throws Http2Exception {
        // The result is not needed: trailers end the stream, and Netty then counts all of its bytes as consumed.
        passOn(ctx, streamId);
        super.onHeadersRead(ctx, streamId, headers, streamDependency, weight, exclusive, padding, endOfStream);
    }

    /** Passes on the received part of a body, and returns how many bytes of it the listener has already consumed. */
    private int passOn(ChannelHandlerContext ctx, int streamId) throws Http2Exception {
        @Nullable RequestBody body = bodies.get(streamId);
        if (body == null) {
            return 0;
        }
        ByteBuf collected = body.take();
        try {
            return collected.isReadable() ? super.onDataRead(ctx, streamId, collected, 0, false) : 0;
        } finally {
            collected.release();
        }
    }
}
