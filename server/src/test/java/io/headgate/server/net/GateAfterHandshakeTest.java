package io.headgate.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http2.Http2ConnectionHandlerBuilder;
import io.netty.handler.codec.http2.Http2FrameAdapter;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The gate of a TLS connection is directly before the codec that the handshake has selected. */
class GateAfterHandshakeTest {

    private static final String CODEC = "codec";

    static Stream<ChannelHandler> codecs() {
        return Stream.of(
                new HttpServerCodec(),
                new Http2ConnectionHandlerBuilder()
                        .server(true)
                        .frameListener(new Http2FrameAdapter())
                        .build());
    }

    private static EmbeddedChannel connection() {
        Quota unbounded = new Quota(Long.MAX_VALUE);
        ClientQuotas quotas = new ClientQuotas(unbounded, unbounded, () -> {});
        return new EmbeddedChannel(new GateAfterHandshake(() -> new ConnectionGate(quotas, 10)));
    }

    private static void assertGateBeforeCodec(EmbeddedChannel connection) {
        assertThat(connection.pipeline().names()).containsSubsequence(ConnectionBounds.GATE, CODEC);
        assertThat(connection.pipeline().get(ConnectionGate.class)).isNotNull();
        assertThat(connection.pipeline().get(GateAfterHandshake.class)).isNull();
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void the_end_of_the_handshake_adds_the_gate(ChannelHandler codec) {
        EmbeddedChannel connection = connection();
        connection.pipeline().addLast(CODEC, codec);
        connection.pipeline().fireUserEventTriggered(SslHandshakeCompletionEvent.SUCCESS);
        assertGateBeforeCodec(connection);
        connection.close();
    }

    @Test
    void bytes_before_the_event_pass_through_the_gate() {
        EmbeddedChannel connection = connection();
        connection.pipeline().addLast(CODEC, new HttpServerCodec());
        connection.writeInbound(Unpooled.copiedBuffer("GE", StandardCharsets.US_ASCII));
        assertGateBeforeCodec(connection);
        connection.pipeline().fireUserEventTriggered(SslHandshakeCompletionEvent.SUCCESS);
        assertThat(connection.pipeline().names())
                .filteredOn(ConnectionBounds.GATE::equals)
                .hasSize(1);
        connection.close();
    }

    @Test
    void a_connection_without_a_codec_is_closed() {
        EmbeddedChannel connection = connection();
        connection.pipeline().fireUserEventTriggered(SslHandshakeCompletionEvent.SUCCESS);
        assertThat(connection.isOpen()).isFalse();
    }
}
