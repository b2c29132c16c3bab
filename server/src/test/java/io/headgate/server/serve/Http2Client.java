package io.headgate.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** A client with one HTTP/2 connection, by prior knowledge. Tests choose the frames of each request. */
final class Http2Client implements AutoCloseable {

    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int SETTINGS = 4;
    private static final int PING = 6;
    static final int GOAWAY = 7;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;
    private static final int ACK = 1;

    private final Socket socket;
    private final DataInputStream in;
    private final DefaultHttp2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder();
    private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder();
    private final Map<Integer, String> statuses = new HashMap<>();
    private int lastStream = -1; // the first stream is 1
    /** The stream of the frame that was read last. */
    private int lastRead;

    /** Connects, sends the preface and no settings, and acknowledges those of the server. */
    Http2Client(InetSocketAddress server) throws IOException {
        socket = new Socket(server.getAddress(), server.getPort());
        socket.setSoTimeout(60_000);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(socket.getInputStream());
        socket.getOutputStream().write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().write(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0}); // SETTINGS: none
        ping();
    }

    /** Opens a stream for a check, and returns its number. */
    int post() throws IOException {
        lastStream += 2;
        Http2Headers fields = new DefaultHttp2Headers()
                .method("POST")
                .scheme("http")
                .path("/v1/check")
                .authority("localhost")
                .add("content-type", "application/json");
        headers(lastStream, fields, false);
        return lastStream;
    }

    void headers(int stream, Http2Headers fields, boolean last) throws IOException {
        ByteBuf block = Unpooled.buffer();
        try {
            encoder.encodeHeaders(stream, fields, block);
        } catch (Http2Exception e) {
            throw new AssertionError(e);
        }
        byte[] bytes = new byte[block.readableBytes()];
        block.readBytes(bytes);
        socket.getOutputStream().write(frame(HEADERS, last ? END_HEADERS | END_STREAM : END_HEADERS, stream, bytes));
    }

    void data(int stream, String body, boolean last) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.US_ASCII);
        socket.getOutputStream().write(frame(DATA, last ? END_STREAM : 0, stream, bytes));
    }

    /** Sends a body in frames of this number of bytes, and does not end the stream. */
    void pieces(int stream, String body, int frameBytes) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int at = 0; at < body.length(); at += frameBytes) {
            String piece = body.substring(at, Math.min(body.length(), at + frameBytes));
            all.writeBytes(frame(DATA, 0, stream, piece.getBytes(StandardCharsets.US_ASCII)));
        }
        socket.getOutputStream().write(all.toByteArray());
    }

    /** Sends empty DATA frames in one write, because the server may close the connection after the first. */
    void emptyFrames(int stream, int count) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < count; i++) {
            all.writeBytes(frame(DATA, 0, stream, new byte[0]));
        }
        socket.getOutputStream().write(all.toByteArray());
    }

    /** Sends a PING and waits for its acknowledgement: the server has then read everything that was sent so far. */
    final void ping() throws IOException {
        socket.getOutputStream().write(frame(PING, 0, 0, new byte[8]));
        next(PING);
    }

    /** Reads until the server closes the connection. */
    void awaitClosed() throws IOException {
        in.readAllBytes();
    }

    String status(int stream) throws IOException, Http2Exception {
        while (!statuses.containsKey(stream)) {
            byte[] block = next(HEADERS);
            Http2Headers fields = decoder.decodeHeaders(lastRead, Unpooled.wrappedBuffer(block));
            statuses.put(lastRead, fields.status().toString());
        }
        return statuses.get(stream);
    }

    /** The payload of the next frame of that type. */
    byte[] next(int wanted) throws IOException {
        while (true) {
            int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
            int type = in.readUnsignedByte();
            int flags = in.readUnsignedByte();
            lastRead = in.readInt();
            byte[] payload = in.readNBytes(length);
            if (type == SETTINGS && flags != ACK) {
                socket.getOutputStream().write(frame(SETTINGS, ACK, 0, new byte[0]));
            }
            if (type == wanted && (type != PING || flags == ACK)) {
                return payload;
            }
            assertThat(type).as("the type of a frame on stream " + lastRead).isNotEqualTo(GOAWAY);
        }
    }

    private static byte[] frame(int type, int flags, int stream, byte[] payload) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeByte(payload.length >> 16);
        out.writeShort(payload.length);
        out.writeByte(type);
        out.writeByte(flags);
        out.writeInt(stream);
        out.write(payload);
        return bytes.toByteArray();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
