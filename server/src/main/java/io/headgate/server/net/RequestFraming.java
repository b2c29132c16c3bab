package io.headgate.server.net;

import io.headgate.server.http.ProblemException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/**
 * Knows where the requests of an HTTP/1 connection begin and end. It has one request in progress at a time, as nginx and Tomcat
 * do; refuses requests that two programs could read differently (request smuggling); collects the body of each; and closes
 * the connection as soon as the response to a request with {@code Connection: close} is sent. A response is sent when
 * the operating system has taken its last byte.
 *
 * <p>The decoder drops a {@code Content-Length} that stands beside {@code Transfer-Encoding: chunked} before anything else
 * sees the request. So the {@link ConnectionGate}, which stands before the decoder, asks {@link #nextPiece} how many bytes to
 * pass on, and this class reads the names of the fields from them. The pieces end where a header section or a body can
 * end, so that it always knows what the decoder expects next. It keeps nothing but the start of the current line. As a
 * handler it stands behind the decoder. Runs on the connection's event loop.
 */
final class RequestFraming extends ChannelDuplexHandler {

    private static final String CONTENT_LENGTH = "content-length";

    private final Runnable onResponseSent;
    private final ClientQuotas quotas;
    private final RequestBody body;

    private final StringBuilder lineStart = new StringBuilder();
    private boolean lengthGiven;

    /** Whether only a carriage return has followed the last line feed of the body. */
    private boolean emptyBodyLine;

    /** Whether the next bytes begin a request. */
    private boolean atStart = true;

    /** Whether the decoder has not ended the body of the current request. */
    private boolean inBody;

    /** The bytes of the body that have not arrived; negative if unknown. */
    private long bodyBytes;

    /** Whether the response to the current request, or to the one before when the next bytes begin one, is not sent. */
    private boolean unanswered;

    private long unansweredSinceNanos;

    /** Whether the connection ends with the current request. */
    private boolean last;

    /** The framing of a new connection; the action runs after each response, when the next request may pass. */
    RequestFraming(Runnable onResponseSent, ClientQuotas quotas) {
        this.onResponseSent = onResponseSent;
        this.quotas = quotas;
        this.body = new RequestBody(quotas.bodyBytes());
    }

    /** Drops the received part of a body, because the connection is closed. */
    void discardBody() {
        body.discard();
    }

    /**
     * The number of readable bytes that the decoder may have now, all of which must be passed to it before the next call; 0 until the
     * response to the previous request is sent. Moves no index.
     */
    int nextPiece(ByteBuf bytes) {
        if (atStart && unanswered) {
            return 0;
        }
        return inBody && bodyBytes != 0 ? bodyPiece(bytes) : headerPiece(bytes);
    }

    /** Returns whether the response to a request has been outstanding for longer than that. */
    boolean unansweredFor(long nanos) {
        return unanswered && System.nanoTime() - unansweredSinceNanos > nanos;
    }

    /** The available bytes of header lines, up to an empty line; records the names of the fields. */
    private int headerPiece(ByteBuf bytes) {
        if (atStart) {
            atStart = false;
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
        if (bodyBytes > 0) {
            int length = (int) Math.min(bytes.readableBytes(), bodyBytes);
            bodyBytes -= length;
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

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof HttpRequest request) {
            begin(request);
        }
        if (message instanceof LastHttpContent) {
            inBody = false;
            atStart = true;
        } else if (message instanceof HttpContent piece && collect(ctx, piece)) {
            ReferenceCountUtil.release(message);
            return;
        }
        if (message instanceof HttpContent) {
            ByteBuf collected = body.take();
            if (collected.isReadable()) {
                ctx.fireChannelRead(new DefaultHttpContent(collected));
            }
        }
        ctx.fireChannelRead(message);
    }

    private boolean collect(ChannelHandlerContext ctx, HttpContent piece) {
        if (quotas.bodyBytes().isFull()) {
            quotas.bodyRefused().run();
            ctx.close();
            return true;
        }
        return body.add(piece.content());
    }

    private void begin(HttpRequest request) {
        unanswered = true;
        unansweredSinceNanos = System.nanoTime();
        // The fields of a request that could not be decoded cannot be trusted.
        bodyBytes = !request.decoderResult().isSuccess() || HttpUtil.isTransferEncodingChunked(request)
                ? -1
                : HttpUtil.getContentLength(request, 0L);
        inBody = bodyBytes != 0; // the response to a request without a body may be sent before the decoder ends it
        refuseIfAmbiguous(request);
        last = !HttpUtil.isKeepAlive(request);
    }

    private void refuseIfAmbiguous(HttpRequest request) {
        if (!request.decoderResult().isSuccess()) {
            return;
        }
        List<String> codings = request.headers().getAll(HttpHeaderNames.TRANSFER_ENCODING);
        boolean isHttp11 = request.protocolVersion().compareTo(HttpVersion.HTTP_1_1) >= 0;
        if (!codings.isEmpty()
                && (codings.size() > 1 || !codings.get(0).strip().equalsIgnoreCase("chunked") || !isHttp11)) {
            refuse(request, "Transfer-Encoding must be chunked, once, in HTTP/1.1; other codings are not supported");
            return;
        }
        int hosts = request.headers().getAll(HttpHeaderNames.HOST).size();
        if (lengthGiven && bodyBytes < 0) {
            refuse(request, "Content-Length and Transfer-Encoding: chunked exclude each other; send one of them");
        } else if (hosts > 1) {
            refuse(request, "the field Host is given " + hosts + " times; send it once");
        } else if (hosts == 0 && isHttp11) {
            refuse(request, "a request of HTTP/1.1 must have the field Host");
        }
    }

    private static void refuse(HttpRequest request, String why) {
        request.setDecoderResult(DecoderResult.failure(ProblemException.badRequest(why)));
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        boolean endsResponse = message instanceof LastHttpContent && !isInformational(message);
        boolean endsConnection = endsResponse && last && !inBody;
        ctx.write(message, promise.unvoid().addListener(sent -> {
            OutOfMemoryExit.check(sent.cause());
            if (endsConnection) {
                ctx.close();
            } else if (endsResponse) {
                unanswered = false;
                onResponseSent.run();
            }
        }));
    }

    private static boolean isInformational(Object message) {
        return message instanceof HttpResponse response
                && response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
    }
}
