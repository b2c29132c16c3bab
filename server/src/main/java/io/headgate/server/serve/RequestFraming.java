package io.headgate.server.serve;

import io.headgate.server.http.ProblemException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.CombinedChannelDuplexHandler;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests of HTTP/1 that two programs could read differently (request smuggling), and closes a connection as soon
 * as the response to a request with {@code Connection: close} is written.
 *
 * <p>The decoder drops a {@code Content-Length} that stands beside {@code Transfer-Encoding: chunked} before anything else
 * sees the request. So this handler stands before the decoder and reads the names of the fields from the bytes. It passes
 * bytes on in pieces that end where a header section or a body can end, so that it always knows what the decoder expects
 * next. It keeps nothing but the start of the current line. A second handler, behind the decoder, marks the requests.
 */
final class RequestFraming extends ChannelInboundHandlerAdapter {

    /** The first bytes show whether a connection is HTTP/1 or HTTP/2, whose preface starts with {@code PRI }. */
    private static final int PROTOCOL_BYTES = 4;

    private static final String CONTENT_LENGTH = "content-length";

    /** The pieces in which a body may arrive: each takes some fifty bytes of memory beside its content. */
    private static final int MAX_BODY_PIECES = 2048;

    private final StringBuilder lineStart = new StringBuilder();
    private final Requests requests = new Requests();
    private int protocolBytes;
    private boolean lengthGiven;

    /** Whether only a carriage return has followed the last line feed of the body. */
    private boolean emptyBodyLine;

    /** Adds it to the pipeline of a connection that was just accepted. */
    static void add(ChannelPipeline pipeline) {
        // Next to the decoder: a handler between them that holds bytes back would separate what was read from what is
        // decoded.
        String decoder = pipeline.names().stream()
                .filter(name -> name.contains("Http2PrefaceOrHttpHandler"))
                .findFirst()
                .orElseThrow();
        pipeline.addBefore(decoder, null, new RequestFraming());
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (!(message instanceof ByteBuf bytes)) {
            ctx.fireChannelRead(message);
            return;
        }
        try {
            while (bytes.isReadable()) {
                if (protocolBytes < PROTOCOL_BYTES) {
                    readProtocol(ctx, bytes);
                } else if (isHttp1(ctx)) {
                    int length = requests.expectsBody() ? bodyPiece(bytes) : headerPiece(bytes);
                    requests.lengthGiven = lengthGiven;
                    ctx.fireChannelRead(bytes.readRetainedSlice(length));
                } else {
                    ctx.fireChannelRead(bytes.readRetainedSlice(bytes.readableBytes()));
                }
            }
        } finally {
            bytes.release();
        }
    }

    /** Passes the first bytes on alone, upon which the decoders of the right protocol are added, and joins them. */
    private void readProtocol(ChannelHandlerContext ctx, ByteBuf bytes) {
        int length = Math.min(PROTOCOL_BYTES - protocolBytes, bytes.readableBytes());
        note(bytes, bytes.readerIndex(), length);
        protocolBytes += length;
        ctx.fireChannelRead(bytes.readRetainedSlice(length));
        @Nullable ChannelHandlerContext codec = codec(ctx);
        if (protocolBytes == PROTOCOL_BYTES && codec != null) {
            ctx.pipeline().addAfter(codec.name(), null, requests);
        }
    }

    /** Not any more when the connection was upgraded to HTTP/2. */
    private boolean isHttp1(ChannelHandlerContext ctx) {
        return codec(ctx) != null;
    }

    private static @Nullable ChannelHandlerContext codec(ChannelHandlerContext ctx) {
        return ctx.pipeline().context(CombinedChannelDuplexHandler.class);
    }

    /** As many bytes of header lines as there are, up to an empty line; what they say is noted. */
    private int headerPiece(ByteBuf bytes) {
        if (requests.atStart) {
            requests.atStart = false;
            lengthGiven = false;
        }
        int start = bytes.readerIndex();
        int line = start;
        while (true) {
            int end = bytes.indexOf(line, bytes.writerIndex(), (byte) '\n');
            if (end < 0) {
                note(bytes, line, bytes.writerIndex() - line);
                return bytes.writerIndex() - start;
            }
            note(bytes, line, end - line);
            String name = lineStart.toString();
            lineStart.setLength(0);
            if (name.isEmpty() || name.equals("\r")) {
                return end + 1 - start;
            }
            lengthGiven |= name.startsWith(CONTENT_LENGTH);
            line = end + 1;
        }
    }

    private void note(ByteBuf bytes, int index, int length) {
        int missing = Math.min(CONTENT_LENGTH.length() - lineStart.length(), length);
        lineStart.append(
                bytes.toString(index, missing, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT));
    }

    /** The rest of a body of known length; otherwise the bytes up to an empty line, with which a chunked body ends. */
    private int bodyPiece(ByteBuf bytes) {
        if (requests.bodyBytes > 0) {
            int length = (int) Math.min(bytes.readableBytes(), requests.bodyBytes);
            requests.bodyBytes -= length;
            return length;
        }
        for (int i = bytes.readerIndex(); i < bytes.writerIndex(); i++) {
            byte next = bytes.getByte(i);
            if (next == '\n' && emptyBodyLine) {
                return i + 1 - bytes.readerIndex();
            }
            emptyBodyLine = next == '\n' || (next == '\r' && emptyBodyLine);
        }
        return bytes.readableBytes();
    }

    /** Behind the decoder: tracks where each request ends, and refuses those that are ambiguous. */
    private static final class Requests extends ChannelDuplexHandler {

        private boolean atStart = true;
        private boolean inBody;
        private boolean lengthGiven;

        /** How many bytes of the body are still to come; negative when that is not known. */
        private long bodyBytes;

        private int bodyPieces;

        private boolean last;
        private int unanswered;

        /** Whether the next bytes belong to a body, as far as the decoder has not ended it. */
        boolean expectsBody() {
            return inBody && bodyBytes != 0;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (message instanceof HttpRequest request) {
                unanswered++;
                inBody = true;
                bodyPieces = 0;
                bodyBytes = bodyBytes(request);
                refuseIfAmbiguous(request);
                last = !HttpUtil.isKeepAlive(request);
            }
            if (message instanceof HttpContent && ++bodyPieces > MAX_BODY_PIECES) {
                ReferenceCountUtil.release(message);
                ctx.close();
                return;
            }
            if (message instanceof LastHttpContent) {
                inBody = false;
                atStart = true;
            }
            ctx.fireChannelRead(message);
        }

        private static long bodyBytes(HttpRequest request) {
            // The fields of a request that could not be decoded are not to be trusted.
            return !request.decoderResult().isSuccess() || HttpUtil.isTransferEncodingChunked(request)
                    ? -1
                    : HttpUtil.getContentLength(request, 0L);
        }

        private void refuseIfAmbiguous(HttpRequest request) {
            if (!request.decoderResult().isSuccess()) {
                return;
            }
            int hosts = request.headers().getAll(HttpHeaderNames.HOST).size();
            if (lengthGiven && bodyBytes < 0) {
                refuse(request, "Content-Length and Transfer-Encoding: chunked exclude each other; send one of them");
            } else if (hosts > 1) {
                refuse(request, "the field Host is given " + hosts + " times; send it once");
            } else if (hosts == 0 && request.protocolVersion().compareTo(HttpVersion.HTTP_1_1) >= 0) {
                refuse(request, "a request of HTTP/1.1 must have the field Host");
            }
        }

        private static void refuse(HttpRequest request, String why) {
            request.setDecoderResult(DecoderResult.failure(ProblemException.badRequest(why)));
        }

        @Override
        public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
            boolean informational = message instanceof FullHttpResponse response
                    && response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
            if (message instanceof LastHttpContent && !informational) {
                unanswered--;
                if (last && !inBody && unanswered == 0) {
                    ctx.write(message, promise.unvoid()).addListener(ChannelFutureListener.CLOSE);
                    return;
                }
            }
            ctx.write(message, promise);
        }
    }
}
