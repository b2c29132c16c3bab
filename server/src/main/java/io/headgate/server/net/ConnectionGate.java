package io.headgate.server.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.CombinedChannelDuplexHandler;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Applies backpressure to one connection: passes its bytes on to the HTTP codec only as fast as the client reads responses, and otherwise
 * stops reading from the connection.
 *
 * <p>For HTTP/1, {@link RequestFraming} lets one request pass at a time. For HTTP/2, the gate passes on small pieces while fewer than
 * {@link ConnectionBounds#MAX_UNSENT_BYTES} bytes are unsent. It applies the limit on open streams before each piece: Netty alone applies
 * the limit only after the client has acknowledged the server's SETTINGS.
 *
 * <p>If a response is not completely sent within 90 s, for example because the client does not read it, the gate closes the connection.
 * Runs on the connection's event loop.
 */
final class ConnectionGate extends ChannelInboundHandlerAdapter {

    /** The number of bytes that show whether a connection is HTTP/1 or HTTP/2, whose preface starts with {@code PRI }. */
    private static final int PROTOCOL_BYTES = 4;

    /** The maximum bytes of HTTP/2 between two checks of the bounds: at most about a hundred HEADERS frames. */
    private static final int HTTP2_PIECE_BYTES = 1024;

    /** The number of pieces after which the event loop serves other connections. */
    private static final int PIECES_PER_TURN = 16;

    /**
     * The maximum time from a request until the operating system has accepted the last byte of its response. It is longer than the timeout
     * of any request: the audit of a queue has 60 s.
     */
    private static final Duration UNREAD_TIMEOUT = Duration.ofSeconds(90);

    private static final Duration CHECK_INTERVAL = Duration.ofSeconds(5);

    private final ClientQuotas quotas;
    private final int maxStreams;
    private final RequestFraming framing;

    private @Nullable ChannelHandlerContext ctx;
    private @Nullable ScheduledFuture<?> checks;
    private @Nullable ByteBuf buffered;
    private @Nullable Http2Streams streams;
    private int protocolBytes;

    /** Whether {@link #pass} is running. A piece that it passes on can cause a response, which calls {@link #resume}. */
    private boolean passing;

    /** Whether this gate has stopped reading, because it has buffered bytes. */
    private boolean paused;

    private long unwritableSinceNanos;

    ConnectionGate(ClientQuotas quotas, int maxStreams) {
        this.quotas = quotas;
        this.maxStreams = maxStreams;
        this.framing = new RequestFraming(this::resume, quotas);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        ctx = context;
        checks = context.executor()
                .scheduleAtFixedRate(
                        this::closeIfUnread, CHECK_INTERVAL.toNanos(), CHECK_INTERVAL.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        end();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        context.fireChannelInactive();
        end();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (!(message instanceof ByteBuf bytes)) {
            context.fireChannelRead(message);
            return;
        }
        buffered = buffered == null
                ? bytes
                : ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(context.alloc(), buffered, bytes);
        pass(context);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        unwritableSinceNanos = System.nanoTime();
        context.fireChannelWritabilityChanged();
        resume();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        OutOfMemoryExit.check(cause);
        context.fireExceptionCaught(cause);
    }

    /** Passes on the buffered bytes that the bounds allow. */
    void resume() {
        ChannelHandlerContext context = ctx;
        if (context != null && buffered != null && !passing && pass(context)) {
            context.fireChannelReadComplete();
        }
    }

    /** Passes on the buffered bytes that the bounds allow; returns whether any passed. */
    private boolean pass(ChannelHandlerContext context) {
        if (passing) {
            return false;
        }
        passing = true;
        int passed = 0;
        try {
            while (buffered != null
                    && passed < PIECES_PER_TURN
                    && context.channel().isWritable()) {
                int length = nextPiece(context, buffered);
                if (length == 0) {
                    break;
                }
                passed++;
                context.fireChannelRead(take(buffered, length));
            }
        } finally {
            passing = false;
        }
        if (buffered != null && passed == PIECES_PER_TURN) {
            // A scheduled task runs after the event loop has read from other connections; an executed one may not.
            context.executor().schedule(this::resume, 0, TimeUnit.NANOSECONDS);
        }
        if (buffered != null) {
            // Set each time, because Armeria resumes reading when the body of a request was consumed.
            context.channel().config().setAutoRead(false);
        } else if (paused) {
            context.channel().config().setAutoRead(true);
        }
        paused = buffered != null;
        return passed > 0;
    }

    /** The number of readable bytes that may pass now. */
    private int nextPiece(ChannelHandlerContext context, ByteBuf from) {
        int readable = from.readableBytes();
        if (protocolBytes < PROTOCOL_BYTES) {
            // These bytes pass alone, because Armeria adds the decoder of the detected protocol at the last one.
            // No header field starts in them, because a request line is longer.
            int length = Math.min(PROTOCOL_BYTES - protocolBytes, readable);
            protocolBytes += length;
            return length;
        }
        if (streams == null) {
            @Nullable Http2ConnectionHandler http2 = context.pipeline().get(Http2ConnectionHandler.class);
            if (http2 == null) {
                addFraming(context.pipeline());
                return framing.nextPiece(from);
            }
            streams = new Http2Streams(http2, quotas, maxStreams);
        }
        streams.applyLimit();
        return Math.min(HTTP2_PIECE_BYTES, readable);
    }

    private void addFraming(ChannelPipeline pipeline) {
        if (pipeline.context(framing) == null) {
            // The combined handler is the codec of HTTP/1.
            pipeline.addAfter(
                    pipeline.context(CombinedChannelDuplexHandler.class).name(), "headgate-framing", framing);
        }
    }

    private ByteBuf take(ByteBuf from, int length) {
        if (length == from.readableBytes()) {
            buffered = null;
            return from;
        }
        return from.readRetainedSlice(length);
    }

    private void closeIfUnread() {
        long nanos = UNREAD_TIMEOUT.toNanos();
        ChannelHandlerContext context = ctx;
        if (context == null) {
            return;
        }
        boolean unread = !context.channel().isWritable() && System.nanoTime() - unwritableSinceNanos > nanos;
        if (unread || (streams == null ? framing.unansweredFor(nanos) : streams.oldestOpenFor(nanos))) {
            context.close();
        }
    }

    private void end() {
        if (checks != null) {
            checks.cancel(false);
        }
        if (streams != null) {
            streams.closeAll();
        }
        framing.discardBody();
        ReferenceCountUtil.release(buffered);
        buffered = null;
        ctx = null;
    }
}
