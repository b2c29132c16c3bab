package io.headgate.server.net;

import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2Stream;
import java.util.LinkedHashMap;
import java.util.Map;

/** The open streams of one HTTP/2 connection and their limit. Runs on the connection's event loop. */
final class Http2Streams extends Http2ConnectionAdapter {

    /** The limit while the client, or all clients together, have as many open streams as they may. */
    private static final int MOST_WHEN_FULL = 1;

    private final Http2Connection connection;
    private final OpenStreams open;
    private final int most;

    /** When each open stream began, oldest first. */
    private final Map<Integer, Long> sinceNanos = new LinkedHashMap<>();

    Http2Streams(Http2Connection connection, OpenStreams open, int most) {
        this.connection = connection;
        this.open = open;
        this.most = most;
        connection.addListener(this);
    }

    /** Has the codec refuse further streams, with REFUSED_STREAM. */
    void applyLimit() {
        connection.remote().maxActiveStreams(open.full() ? MOST_WHEN_FULL : most);
    }

    /** Whether the oldest stream is open for longer than that. */
    boolean oldestOpenFor(long nanos) {
        return !sinceNanos.isEmpty()
                && System.nanoTime() - sinceNanos.values().iterator().next() > nanos;
    }

    /** Counts none of them any more, as the connection is closed. */
    void forget() {
        sinceNanos.keySet().forEach(stream -> open.closed());
        sinceNanos.clear();
    }

    @Override
    public void onStreamActive(Http2Stream stream) {
        sinceNanos.put(stream.id(), System.nanoTime());
        open.opened();
    }

    @Override
    public void onStreamClosed(Http2Stream stream) {
        if (sinceNanos.remove(stream.id()) != null) {
            open.closed();
        }
    }
}
