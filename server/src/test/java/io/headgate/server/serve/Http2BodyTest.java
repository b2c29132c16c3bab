package io.headgate.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.TestServer;
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
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bodies of HTTP/2, in whatever frames they arrive. */
@Timeout(60)
class Http2BodyTest {

    private static final String BODY = "{\"policy\": \"api\", \"attributes\": {\"user\": \"bob\"}}";
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int PING = 6;
    private static final int GOAWAY = 7;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;
    private static final int ACK = 1;
    private static final int ENHANCE_YOUR_CALM = 11;

    private static final TestServer server = new TestServer();

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void forget() {
        server.forget();
    }

    @Test
    void a_body_in_frames_of_any_size_is_read_as_one() throws IOException, Http2Exception {
        try (Client client = new Client()) {
            for (int frameBytes : new int[] {BODY.length(), 1, 7}) {
                server.forget();
                int stream = client.post();
                for (int at = 0; at < BODY.length(); at += frameBytes) {
                    int end = Math.min(BODY.length(), at + frameBytes);
                    client.data(stream, BODY.substring(at, end), end == BODY.length());
                }

                assertThat(client.status(stream)).isEqualTo("200");
                assertThat(server.remaining("api", "bob")).isEqualTo(2);
            }
        }
    }

    @Test
    void a_body_may_end_with_an_empty_frame_or_with_trailers() throws IOException, Http2Exception {
        try (Client client = new Client()) {
            int one = client.post();
            client.data(one, BODY.substring(0, 9), false);
            client.data(one, BODY.substring(9), false);
            client.data(one, "", true);
            assertThat(client.status(one)).isEqualTo("200");

            int two = client.post();
            client.data(two, BODY.substring(0, 9), false);
            client.data(two, BODY.substring(9), false);
            client.headers(two, new DefaultHttp2Headers().add("checksum", "1"), true);
            assertThat(client.status(two)).isEqualTo("200");

            assertThat(server.remaining("api", "bob")).isEqualTo(1);
        }
    }

    @Test
    void bodies_on_several_streams_are_kept_apart() throws IOException, Http2Exception {
        String other = BODY.replace("bob", "eve");
        try (Client client = new Client()) {
            int one = client.post();
            int two = client.post();
            for (int i = 0; i < BODY.length(); i++) {
                client.data(one, BODY.substring(i, i + 1), i == BODY.length() - 1);
                client.data(two, other.substring(i, i + 1), i == BODY.length() - 1);
            }

            assertThat(client.status(two)).isEqualTo("200");
            assertThat(server.remaining("api", "bob")).isEqualTo(2);
            assertThat(server.remaining("api", "eve")).isEqualTo(2);
        }
    }

    @Test
    void a_body_of_64_KiB_in_small_frames_is_read_and_one_more_byte_is_413() throws IOException, Http2Exception {
        String longest = BODY + " ".repeat(HeadgateServer.MAX_REQUEST_BYTES - BODY.length());
        try (Client client = new Client()) {
            int longEnough = client.post();
            client.pieces(longEnough, longest, 64);
            client.data(longEnough, "", true);
            assertThat(client.status(longEnough)).isEqualTo("200");

            int tooLong = client.post();
            client.pieces(tooLong, longest, 64);
            client.data(tooLong, " ", false);
            assertThat(client.status(tooLong)).isEqualTo("413");
        }
    }

    /** Each frame that is kept takes some hundred bytes beside its content, and may keep a buffer of 16 KiB. */
    @Test
    void the_memory_of_a_body_does_not_depend_on_the_number_of_its_frames() throws IOException {
        int streams = 10;
        int frames = 60_000;
        long bytesPerStream = 128 * 1024;
        try (Client client = new Client()) {
            client.ping();
            long before = usedBytes();
            for (int i = 0; i < streams; i++) {
                client.pieces(client.post(), " ".repeat(frames), 1);
            }
            client.ping();

            assertThat(usedBytes() - before).isLessThan(streams * bytesPerStream + (4 << 20));
        }
    }

    @Test
    void empty_frames_end_the_connection() throws IOException {
        try (Client client = new Client()) {
            int stream = client.post();
            for (int i = 0; i < 10; i++) {
                client.data(stream, "", false);
            }

            assertThat(client.next(GOAWAY)[7]).isEqualTo((byte) ENHANCE_YOUR_CALM);
        }
    }

    private static long usedBytes() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    /** One connection with prior knowledge of HTTP/2. */
    private static final class Client implements AutoCloseable {

        private final Socket socket;
        private final DataInputStream in;
        private final DefaultHttp2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder();
        private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder();
        private final Map<Integer, String> statuses = new HashMap<>();
        private int lastStream = -1;
        private int lastRead;

        Client() throws IOException {
            socket = new Socket(
                    server.server.address().getAddress(),
                    server.server.address().getPort());
            socket.setSoTimeout(20_000);
            socket.setTcpNoDelay(true);
            in = new DataInputStream(socket.getInputStream());
            socket.getOutputStream().write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().write(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0}); // SETTINGS: none
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
            var block = Unpooled.buffer();
            try {
                encoder.encodeHeaders(stream, fields, block);
            } catch (Http2Exception e) {
                throw new AssertionError(e);
            }
            byte[] bytes = new byte[block.readableBytes()];
            block.readBytes(bytes);
            socket.getOutputStream()
                    .write(frame(HEADERS, last ? END_HEADERS | END_STREAM : END_HEADERS, stream, bytes));
        }

        void data(int stream, String body, boolean last) throws IOException {
            byte[] bytes = body.getBytes(StandardCharsets.US_ASCII);
            socket.getOutputStream().write(frame(DATA, last ? END_STREAM : 0, stream, bytes));
        }

        /** Sends a body that does not end, in frames of so many bytes. */
        void pieces(int stream, String body, int frameBytes) throws IOException {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (int at = 0; at < body.length(); at += frameBytes) {
                String piece = body.substring(at, Math.min(body.length(), at + frameBytes));
                all.writeBytes(frame(DATA, 0, stream, piece.getBytes(StandardCharsets.US_ASCII)));
            }
            socket.getOutputStream().write(all.toByteArray());
        }

        /** Returns when the server has read everything that was sent so far. */
        void ping() throws IOException {
            socket.getOutputStream().write(frame(PING, 0, 0, new byte[8]));
            next(PING);
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
}
