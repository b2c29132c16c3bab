package io.headgate.server.net;

import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Stream;
import java.util.LinkedHashMap;
import java.util.Map;

/** The open streams of one HTTP/2 connection and their limit. Runs on the connection's event loop. */
final class Http2Streams extends Http2ConnectionAdapter {

    /** The limit while the client, or all clients together, have used up their quota: a connection without streams may still open one. */
    private static final int MAX_WHEN_FULL = 1;

    private final Http2Connection connection;
    private final Quota open;
    private final Http2Bodies bodies;
    private final int most;

    /** The start of each open stream, oldest first. */
    private final Map<Integer, Long> sinceNanos = new LinkedHashMap<>();

    /** Tracks the streams of a connection, and collects their bodies. A request with {@code Upgrade: h2c} has already opened one. */
    Http2Streams(Http2ConnectionHandler http2, ClientQuotas quotas, int most) {
        this.connection = http2.connection();
        this.open = quotas.streams();
        this.most = most;
        connection.addListener(this);
        Http2ConnectionDecoder decoder = http2.decoder();
        bodies = new Http2Bodies(decoder.frameListener(), quotas);
        decoder.frameListener(bodies);
        try {
            connection.forEachActiveStream(stream -> {
                onStreamActive(stream);
                return true;
            });
        } catch (Http2Exception e) {
            throw new IllegalStateException("a visitor that throws nothing has thrown", e);
        }
    }

    /** Sets the number of open streams beyond which the codec rejects a stream with REFUSED_STREAM. */
    void applyLimit() {
        connection.remote().maxActiveStreams(open.isFull() ? MAX_WHEN_FULL : most);
    }

    /** Returns whether the oldest stream has been open for longer than the given time. */
    boolean oldestOpenFor(long nanos) {
        return !sinceNanos.isEmpty()
                && System.nanoTime() - sinceNanos.values().iterator().next() > nanos;
    }

    /** Counts all streams as closed, because the connection is closed. */
    void closeAll() {
        open.remove(sinceNanos.size());
        sinceNanos.clear();
        bodies.closeAll();
    }

    @Override
    public void onStreamActive(Http2Stream stream) {
        sinceNanos.put(stream.id(), System.nanoTime());
        open.add(1);
    }

    @Override
    public void onStreamClosed(Http2Stream stream) {
        if (sinceNanos.remove(stream.id()) != null) {
            open.remove(1);
        }
        bodies.closed(stream.id());
    }
}
