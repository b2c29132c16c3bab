package io.headgate.server.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameAdapter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The bound on incomplete bodies of HTTP/2. */
class Http2BodiesTest {

    private static final int MAX_BYTES = RequestBody.MAX_BYTES;

    private final Quota bytes = new Quota(4 * MAX_BYTES);
    private final AtomicInteger refused = new AtomicInteger();
    private final List<String> passed = new ArrayList<>();
    private final Http2Bodies bodies = new Http2Bodies(
            new Http2FrameAdapter() {
                @Override
                public int onDataRead(ChannelHandlerContext ctx, int stream, ByteBuf data, int padding, boolean end) {
                    passed.add(stream + ": " + data.readableBytes() + (end ? " and the end" : ""));
                    return data.readableBytes() + padding;
                }

                @Override
                public void onRstStreamRead(ChannelHandlerContext ctx, int stream, long errorCode) {
                    passed.add(stream + ": reset");
                }
            },
            new ClientQuotas(new Quota(1), bytes.forOneClient(), refused::incrementAndGet));
    private final ChannelHandlerContext context =
            new EmbeddedChannel(new ChannelInboundHandlerAdapter()).pipeline().firstContext();

    @Test
    void a_stream_is_reset_when_its_client_has_used_half_of_the_quota() throws Http2Exception {
        arrive(1, MAX_BYTES, false);
        arrive(3, MAX_BYTES, false);

        assertThatThrownBy(() -> arrive(5, 1, false)).isInstanceOfSatisfying(Http2Exception.class, problem -> {
            assertThat(problem.error()).isEqualTo(Http2Error.ENHANCE_YOUR_CALM);
            assertThat(Http2Exception.streamId(problem)).isEqualTo(5);
        });

        assertThat(refused).hasValue(1);
        assertThat(passed).containsExactly("5: reset");
    }

    @Test
    void a_body_that_arrives_in_one_frame_needs_no_quota() throws Http2Exception {
        arrive(1, MAX_BYTES, false);
        arrive(3, MAX_BYTES, false);

        arrive(5, 100, true);

        assertThat(passed).containsExactly("5: 100 and the end");
    }

    @Test
    void the_quota_of_a_body_is_released_when_its_stream_or_connection_ends() throws Http2Exception {
        arrive(1, 100, false);
        arrive(1, 1, true);
        assertThat(passed).containsExactly("1: 100", "1: 1 and the end");
        assertThat(bytes.used()).isZero();

        arrive(3, 100, false);
        assertThat(bytes.used()).isPositive();
        bodies.closed(3);
        assertThat(bytes.used()).isZero();

        arrive(5, 100, false);
        bodies.closeAll();
        assertThat(bytes.used()).isZero();
    }

    private void arrive(int stream, int count, boolean end) throws Http2Exception {
        ByteBuf data = Unpooled.wrappedBuffer(new byte[count]);
        bodies.onDataRead(context, stream, data, 0, end);
    }
}
