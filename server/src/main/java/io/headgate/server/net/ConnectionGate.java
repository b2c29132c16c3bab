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
 * Passes the bytes of one connection on to the HTTP codec only as fast as the client reads responses, and stops reading
 * from the connection meanwhile (backpressure).
 *
 * <p>HTTP/1: {@link RequestFraming} lets one request pass at a time. HTTP/2: it passes on small pieces while less than
 * {@link ConnectionBounds#MAX_UNSENT_BYTES} are unsent, and applies the limit on open streams before each; Netty alone
 * applies it only after the client has acknowledged the server's SETTINGS.
 *
 * <p>A client that leaves a response unread for 90 s loses its connection. Runs on the connection's event loop.
 */
final class ConnectionGate extends ChannelInboundHandlerAdapter {

    /** The first bytes show whether a connection is HTTP/1 or HTTP/2, whose preface starts with {@code PRI }. */
    private static final int PROTOCOL_BYTES = 4;

    /** The maximum bytes of HTTP/2 between two checks of the bounds: some hundred HEADERS frames at most. */
    private static final int HTTP2_PIECE_BYTES = 1024;

    /** The number of pieces after which the event loop serves other connections. */
    private static final int PIECES_PER_TURN = 16;

    /**
     * The maximum time from a request to the last byte of its response that the operating system takes. Longer than any request may
     * take: the audit of a queue has 60 s.
     */
    private static final Duration UNREAD_TIMEOUT = Duration.ofSeconds(90);

    private static final Duration CHECK_INTERVAL = Duration.ofSeconds(5);

    private final ClientQuotas quotas;
    private final int maxStreams;
    private final RequestFraming framing;

    private @Nullable ChannelHandlerContext ctx;
    private @Nullable ScheduledFuture<?> checks;
    private @Nullable ByteBuf held;
    private @Nullable Http2Streams streams;
    private int protocolBytes;
    private boolean passing;
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
        held = held == null ? bytes : ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(context.alloc(), held, bytes);
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

    /** Passes on buffered bytes, as far as the bounds allow. */
    void resume() {
        ChannelHandlerContext context = ctx;
        if (context != null && held != null && !passing && pass(context)) {
            context.fireChannelReadComplete();
        }
    }

    /** Passes on what the bounds allow, and returns whether that was more than nothing. */
    private boolean pass(ChannelHandlerContext context) {
        if (passing) {
            return false;
        }
        passing = true;
        int passed = 0;
        try {
            while (held != null && passed < PIECES_PER_TURN && context.channel().isWritable()) {
                int length = nextPiece(context, held);
                if (length == 0) {
                    break;
                }
                passed++;
                context.fireChannelRead(take(held, length));
            }
        } finally {
            passing = false;
        }
        if (held != null && passed == PIECES_PER_TURN) {
            // A scheduled task runs after the event loop has read from other connections; an executed one may not.
            context.executor().schedule(this::resume, 0, TimeUnit.NANOSECONDS);
        }
        if (held != null) {
            // Each time: Armeria resumes reading when the body of a request was consumed.
            context.channel().config().setAutoRead(false);
        } else if (paused) {
            context.channel().config().setAutoRead(true);
        }
        paused = held != null;
        return passed > 0;
    }

    /** The number of readable bytes that may pass now. */
    private int nextPiece(ChannelHandlerContext context, ByteBuf from) {
        int readable = from.readableBytes();
        if (protocolBytes < PROTOCOL_BYTES) {
            // They pass alone, because Armeria adds the decoder of the detected protocol with the last of them. No
            // field starts in
            // them: a request line is longer.
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
            pipeline.addAfter(
                    pipeline.context(CombinedChannelDuplexHandler.class).name(), "headgate-framing", framing);
        }
    }

    private ByteBuf take(ByteBuf from, int length) {
        if (length == from.readableBytes()) {
            held = null;
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
        ReferenceCountUtil.release(held);
        held = null;
        ctx = null;
    }
}
