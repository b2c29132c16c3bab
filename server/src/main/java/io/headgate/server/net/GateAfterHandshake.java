package io.headgate.server.net;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.CombinedChannelDuplexHandler;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Adds the {@link ConnectionGate} to a TLS connection, in which the HTTP codec is known only after the handshake. It is directly behind
 * Armeria's handler that adds the codec, so it sees the first decrypted bytes before the codec does. Runs on the connection's event loop.
 */
final class GateAfterHandshake extends ChannelInboundHandlerAdapter {

    private final Supplier<ConnectionGate> gate;

    GateAfterHandshake(Supplier<ConnectionGate> gate) {
        this.gate = gate;
    }

    /** The end of the handshake, at which Armeria has added the codec. */
    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof SslHandshakeCompletionEvent completion && completion.isSuccess()) {
            replaceByGate(context);
        }
        context.fireUserEventTriggered(event);
    }

    /** Bytes that were decrypted before the event arrives here. */
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        replaceByGate(context);
        context.fireChannelRead(message);
    }

    private void replaceByGate(ChannelHandlerContext context) {
        ChannelPipeline pipeline = context.pipeline();
        @Nullable ChannelHandlerContext codec = pipeline.context(Http2ConnectionHandler.class);
        if (codec == null) {
            codec = pipeline.context(CombinedChannelDuplexHandler.class); // the codec of HTTP/1
        }
        if (codec == null) {
            context.close(); // never without its bounds
            return;
        }
        pipeline.addBefore(codec.name(), ConnectionBounds.GATE, gate.get());
        pipeline.remove(this);
    }
}
