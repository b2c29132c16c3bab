package io.headgate.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.headgate.server.TestServer;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Exception;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** Bodies of HTTP/2, in frames of any size. */
@Timeout(60)
class Http2BodyTest {

    private static final String BODY = "{\"policy\": \"api\", \"attributes\": {\"user\": \"bob\"}}";
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
        try (Http2Client client = new Http2Client(server.server.address())) {
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
        try (Http2Client client = new Http2Client(server.server.address())) {
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
    void bodies_on_several_streams_are_not_mixed() throws IOException, Http2Exception {
        String other = BODY.replace("bob", "eve");
        try (Http2Client client = new Http2Client(server.server.address())) {
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
        try (Http2Client client = new Http2Client(server.server.address())) {
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

    /** A stored frame would take about a hundred bytes more than its content, and could retain a buffer of 16 KiB. */
    @Test
    void the_memory_of_a_body_does_not_depend_on_the_number_of_its_frames() throws IOException {
        int streams = 10;
        int frames = 60_000;
        long bytesPerStream = 128 * 1024;
        try (Http2Client client = new Http2Client(server.server.address())) {
            client.ping();
            long before = usedBytes();
            for (int i = 0; i < streams; i++) {
                client.pieces(client.post(), " ".repeat(frames), 1);
            }
            client.ping();

            // The 4 MiB are for all that the test and the server allocate besides.
            assertThat(usedBytes() - before).isLessThan(streams * bytesPerStream + (4 << 20));
        }
    }

    /** Armeria logs a warning when bytes of a body are counted as consumed that were counted before. */
    @Test
    void each_byte_of_a_body_is_counted_once_for_flow_control() throws IOException, Http2Exception {
        Logger flowControl =
                (Logger) LoggerFactory.getLogger("com.linecorp.armeria.internal.common.InboundTrafficController");
        ListAppender<ILoggingEvent> warnings = new ListAppender<>();
        warnings.start();
        flowControl.addAppender(warnings);
        try (Http2Client client = new Http2Client(server.server.address())) {
            int stream = client.post();
            client.data(stream, BODY.substring(0, 30), false);
            client.data(stream, BODY.substring(30), false);
            client.data(stream, "", true);
            assertThat(client.status(stream)).isEqualTo("200");
        } finally {
            flowControl.detachAppender(warnings);
        }
        assertThat(warnings.list).isEmpty();
    }

    /** The window of the connection is larger than all bodies that may arrive in parallel. */
    @Test
    void a_hundred_bodies_of_64_KiB_may_arrive_in_parallel_on_a_connection() throws IOException, Http2Exception {
        int streams = 100;
        String almost = BODY + " ".repeat(HeadgateServer.MAX_REQUEST_BYTES - BODY.length() - 1);
        try (Http2Client client = new Http2Client(server.server.address())) {
            client.ping(); // the server has read that its settings are acknowledged
            List<Integer> open = new ArrayList<>();
            for (int i = 0; i < streams; i++) {
                int stream = client.post();
                client.pieces(stream, almost, 16_000);
                open.add(stream);
            }
            for (int stream : open) {
                client.data(stream, " ", true);
            }

            assertThat(client.status(open.get(streams - 1))).isEqualTo("200");
        }
    }

    @Test
    void empty_frames_close_the_connection() throws IOException {
        try (Http2Client client = new Http2Client(server.server.address())) {
            int stream = client.post();
            client.emptyFrames(stream, 10);

            assertThat(client.next(Http2Client.GOAWAY)[7]).isEqualTo((byte) ENHANCE_YOUR_CALM);
        }
    }

    private static long usedBytes() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
