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
 * Finds where the requests of an HTTP/1 connection begin and end.
 *
 * <ul>
 *   <li>It lets one request pass at a time, as nginx and Tomcat do.
 *   <li>It rejects requests that two programs could read differently (request smuggling).
 *   <li>It collects the body of each request.
 *   <li>It closes the connection after the response to its last request ({@code Connection: close}, or HTTP/1.0 without keep-alive), when
 *       the operating system has accepted the last byte of that response.
 * </ul>
 *
 * <p>If a request has both {@code Content-Length} and {@code Transfer-Encoding: chunked}, Netty's decoder drops the former, and later
 * handlers do not see that the request is ambiguous. So this class also reads the names of the fields from the undecoded bytes: the
 * {@link ConnectionGate}, which is before the decoder in the pipeline, calls {@link #nextPiece} to learn how many bytes to pass on. No
 * piece continues past a place where a header section or a body can end, so that this class always knows what the decoder expects next.
 * It stores only the start of the current line. As a handler, it is after the decoder in the pipeline. Runs on the connection's event loop.
 */
final class RequestFraming extends ChannelDuplexHandler {

    private static final String CONTENT_LENGTH = "content-length";

    private final Runnable onResponseSent;
    private final ClientQuotas quotas;
    private final RequestBody body;

    private final StringBuilder lineStart = new StringBuilder();
    private boolean lengthGiven;

    /** Whether nothing, or only a carriage return, has followed the last line feed of the body. */
    private boolean emptyBodyLine;

    /** Whether the next bytes begin a request. */
    private boolean atStart = true;

    /** Whether the current request has a body whose end the decoder has not reached. */
    private boolean inBody;

    /** The bytes of the body that were not yet passed to the decoder; negative if their number is unknown. */
    private long bodyBytes;

    /** Whether the response to the last request is not completely sent. */
    private boolean unanswered;

    private long unansweredSinceNanos;

    /** Whether the connection is closed after the response to the current request. */
    private boolean last;

    /**
     * Creates the framing of a new connection.
     *
     * @param onResponseSent runs after each response, when the next request may pass
     */
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
     * Returns the number of readable bytes to pass to the decoder now; 0 until the response to the previous request is sent. The caller
     * passes all of them before the next call. This method moves no index.
     */
    int nextPiece(ByteBuf bytes) {
        if (atStart && unanswered) {
            return 0;
        }
        return inBody && bodyBytes != 0 ? bodyPiece(bytes) : headerPiece(bytes);
    }

    /** Returns whether a response has been outstanding for longer than the given time. */
    boolean unansweredFor(long nanos) {
        return unanswered && System.nanoTime() - unansweredSinceNanos > nanos;
    }

    /** Returns the number of available bytes of header lines, up to an empty line. Records whether a field is Content-Length. */
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
                appendLineStart(bytes, line, bytes.writerIndex() - line);
                return bytes.writerIndex() - start;
            }
            appendLineStart(bytes, line, end - line);
            String name = lineStart.toString();
            lineStart.setLength(0);
            if (name.isEmpty() || name.equals("\r")) {
                return end + 1 - start;
            }
            lengthGiven |= isContentLength(name);
            line = end + 1;
        }
    }

    /** Whether a line is of the field Content-Length, also if an invalid character follows the name, such as a space. */
    private static boolean isContentLength(String lineStart) {
        if (!lineStart.startsWith(CONTENT_LENGTH)) {
            return false;
        }
        char next = lineStart.length() > CONTENT_LENGTH.length() ? lineStart.charAt(CONTENT_LENGTH.length()) : ':';
        return next != '-' && next != '_' && !Character.isLetterOrDigit(next);
    }

    /** Stores the start of a header line, up to one character after the name Content-Length. */
    private void appendLineStart(ByteBuf bytes, int index, int length) {
        int missing = Math.min(CONTENT_LENGTH.length() + 1 - lineStart.length(), length);
        lineStart.append(
                bytes.toString(index, missing, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT));
    }

    /** Returns the number of available bytes of the body: of a chunked one, up to an empty line, with which it can end. */
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

    /** Adds the piece to the body; returns false if the body has no room for it. Closes the connection if the quota is used up. */
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
        // If the body has not ended, Armeria closes the connection after the response; see UnfinishedRequests.
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
