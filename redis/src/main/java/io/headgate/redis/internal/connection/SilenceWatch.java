package io.headgate.redis.internal.connection;

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
    private boolean hasHeard;
    private int looksSinceAsked;
    private long mostLooks;

    private final Runnable heard;

    /**
     * One for a connection.
     *
     * @param silence how long is too long
     * @param first how long it may last before anything was heard
     * @param heard is run when something is heard first
     */
    SilenceWatch(Duration silence, Duration first, Runnable heard) {
        super(Math.max(1, silence.toMillis() / LOOKS), 0, 0, TimeUnit.MILLISECONDS);
        this.mostLooks = LOOKS * Math.max(1, first.toMillis() / Math.max(1, silence.toMillis()));
        this.heard = heard;
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
        if (!hasHeard) {
            hasHeard = true;
            mostLooks = LOOKS;
            heard.run();
        }
        super.channelRead(context, message);
    }

    @Override
    protected void channelIdle(ChannelHandlerContext context, IdleStateEvent event) {
        if (asked && looksSinceAsked++ == mostLooks) {
            context.close();
        }
    }
}
