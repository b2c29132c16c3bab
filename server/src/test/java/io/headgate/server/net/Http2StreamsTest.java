package io.headgate.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2ConnectionHandlerBuilder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameAdapter;
import io.netty.handler.codec.http2.Http2Stream;
import org.junit.jupiter.api.Test;

/** The streams of an HTTP/2 connection that count as open. */
class Http2StreamsTest {

    private final ClientQuotas quotas = new ClientQuotas(new Quota(10), new Quota(10), () -> {});
    private final Http2ConnectionHandler http2 = new Http2ConnectionHandlerBuilder()
            .server(true)
            .frameListener(new Http2FrameAdapter())
            .build();

    @Test
    void a_stream_that_an_upgrade_from_http_1_opened_counts() throws Http2Exception {
        Http2Stream first = http2.connection().remote().createStream(1, false);

        Http2Streams streams = new Http2Streams(http2, quotas, 10);

        assertThat(quotas.streams().used()).isEqualTo(1);
        assertThat(streams.oldestOpenFor(-1)).as("a stream is open").isTrue();
        first.close();
        assertThat(quotas.streams().used()).isZero();
    }

    @Test
    void the_streams_of_a_closed_connection_count_no_longer() throws Http2Exception {
        Http2Streams streams = new Http2Streams(http2, quotas, 10);
        http2.connection().remote().createStream(1, false);
        http2.connection().remote().createStream(3, false);
        assertThat(quotas.streams().used()).isEqualTo(2);

        streams.closeAll();

        assertThat(quotas.streams().used()).isZero();
    }
}
