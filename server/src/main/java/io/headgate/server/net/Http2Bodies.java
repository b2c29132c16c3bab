package io.headgate.server.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import org.jspecify.annotations.Nullable;

/** Collects the DATA frames of each stream of one HTTP/2 connection into a {@link RequestBody}. Runs on the connection's event loop. */
final class Http2Bodies extends Http2FrameListenerDecorator {

    private final Http2Connection connection;
    private final Http2Connection.PropertyKey bodyKey;

    /** Passes bodies on to a listener. */
    Http2Bodies(Http2Connection connection, Http2FrameListener listener) {
        super(listener);
        this.connection = connection;
        this.bodyKey = connection.newKey();
    }

    @Override
    public int onDataRead(ChannelHandlerContext ctx, int streamId, ByteBuf data, int padding, boolean endOfStream)
            throws Http2Exception {
        if (!endOfStream && body(streamId).add(data)) {
            return data.readableBytes() + padding;
        }
        passOn(ctx, streamId);
        return super.onDataRead(ctx, streamId, data, padding, endOfStream);
    }

    /** Netty calls this one for all header sections; those of a stream that has a body are its trailers. */
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
        passOn(ctx, streamId);
        super.onHeadersRead(ctx, streamId, headers, streamDependency, weight, exclusive, padding, endOfStream);
    }

    private void passOn(ChannelHandlerContext ctx, int streamId) throws Http2Exception {
        ByteBuf collected = body(streamId).take();
        try {
            if (collected.isReadable()) {
                super.onDataRead(ctx, streamId, collected, 0, false);
            }
        } finally {
            collected.release();
        }
    }

    /** The body of a stream that is open. */
    private RequestBody body(int streamId) {
        Http2Stream stream = connection.stream(streamId);
        @Nullable RequestBody known = stream.getProperty(bodyKey);
        if (known != null) {
            return known;
        }
        RequestBody added = new RequestBody();
        stream.setProperty(bodyKey, added);
        return added;
    }
}
