package io.headgate.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The memory of an HTTP/1 body that arrives in pieces; {@code Http2BodiesTest} and {@code Http2BodyTest} cover HTTP/2. */
class RequestBodyTest {

    private static final int MAX_BYTES = RequestBody.MAX_BYTES;

    private final Quota bytes = new Quota(4 * MAX_BYTES);
    private final AtomicInteger refused = new AtomicInteger();
    private final ClientQuotas quotas = new ClientQuotas(new Quota(1), bytes.forOneClient(), refused::incrementAndGet);
    private final RequestFraming framing = new RequestFraming(() -> {}, quotas);
    private final EmbeddedChannel channel = new EmbeddedChannel(framing);

    @Test
    void pieces_are_copied_and_released_and_pass_as_one_piece_at_the_end() {
        begin();
        for (int i = 0; i < MAX_BYTES; i++) {
            assertThat(arrive(1).refCnt()).isZero();
        }
        assertThat(channel.<Object>readInbound()).isNull();

        channel.writeInbound(LastHttpContent.EMPTY_LAST_CONTENT);

        assertThat(passedBytes()).isEqualTo(MAX_BYTES);
        assertThat(channel.<Object>readInbound()).isSameAs(LastHttpContent.EMPTY_LAST_CONTENT);
    }

    @Test
    void a_longer_body_passes_in_parts() {
        begin();
        arrive(MAX_BYTES);
        arrive(1);

        assertThat(passedBytes()).isEqualTo(MAX_BYTES);
        assertThat(passedBytes()).isEqualTo(1);

        arrive(1);
        assertThat(channel.<Object>readInbound()).isNull();
    }

    @Test
    void a_body_above_the_quota_of_its_client_closes_the_connection() {
        begin();
        quotas.bodyBytes().add(2 * MAX_BYTES - 1);
        arrive(1);
        assertThat(channel.isOpen()).isTrue();

        assertThat(arrive(1).refCnt()).isZero();

        assertThat(channel.isOpen()).isFalse();
        assertThat(refused).hasValue(1);
    }

    @Test
    void a_body_above_the_quota_of_all_clients_closes_the_connection() {
        begin();
        bytes.add(4 * MAX_BYTES);

        arrive(1);

        assertThat(channel.isOpen()).isFalse();
        assertThat(refused).hasValue(1);
    }

    @Test
    void the_quota_of_a_body_is_released_when_the_body_has_arrived() {
        begin();
        arrive(MAX_BYTES);
        assertThat(bytes.used()).isEqualTo(MAX_BYTES);

        channel.writeInbound(LastHttpContent.EMPTY_LAST_CONTENT);

        assertThat(passedBytes()).isEqualTo(MAX_BYTES);
        assertThat(bytes.used()).isZero();
    }

    @Test
    void the_quota_of_a_body_is_released_when_its_connection_ends() {
        begin();
        arrive(MAX_BYTES);

        framing.discardBody();

        assertThat(bytes.used()).isZero();
        assertThat(quotas.bodyBytes().used()).isZero();
    }

    private void begin() {
        HttpRequest request = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/v1/check");
        request.headers().set("Host", "localhost").set("Transfer-Encoding", "chunked");
        channel.writeInbound(request);
        assertThat(channel.<Object>readInbound()).isSameAs(request);
    }

    /** Passes a piece of this number of bytes. */
    private ByteBuf arrive(int bytes) {
        ByteBuf content = Unpooled.wrappedBuffer(new byte[bytes]);
        channel.writeInbound(new DefaultHttpContent(content));
        return content;
    }

    private int passedBytes() {
        HttpContent passed = channel.readInbound();
        int bytes = passed.content().readableBytes();
        passed.release();
        return bytes;
    }
}
