package io.headgate.redis.internal;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection on which something was asked and nothing comes back, so that a new one is made: where the network
 * or the other machine is gone without a word, the operating system would try for a quarter of an hour. It looks four
 * times in so long a silence, and so closes when that has lasted, or up to a quarter longer.
 */
final class SilenceWatch extends IdleStateHandler {

    private static final int LOOKS = 4;

    // All on the connection's own thread.
    private boolean asked;
    private int looksSinceAsked;

    SilenceWatch(Duration silence) {
        super(Math.max(1, silence.toMillis() / LOOKS), 0, 0, TimeUnit.MILLISECONDS);
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) throws Exception {
        asked = true;
        super.write(context, message, promise);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
        asked = false;
        looksSinceAsked = 0;
        super.channelRead(context, message);
    }

    @Override
    protected void channelIdle(ChannelHandlerContext context, IdleStateEvent event) {
        if (asked && looksSinceAsked++ == LOOKS) {
            context.close();
        }
    }
}
