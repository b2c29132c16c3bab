package io.headgate.redis.internal.connection;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection on which a command was sent but no reply arrives, so that Lettuce opens a new one. Without it, a
 * network or host that disappears silently would only be detected by TCP after about a quarter of an hour.
 *
 * <p>The watch checks four times per silence period. So it closes the connection after one such period, or up to a
 * quarter of it later.
 */
final class SilenceWatch extends IdleStateHandler {

    private static final int CHECKS = 4;

    // Only used on the connection's event loop.
    private boolean isReplyDue;
    private boolean hasReceived;
    private int checksWithoutReply;
    private long maxChecks;

    private final Runnable onFirstReply;

    /**
     * Creates the watch of one connection.
     *
     * @param silence the time without a reply after which the connection is closed
     * @param first the time that applies instead until the first reply has arrived, if it is longer
     * @param onFirstReply runs when the first reply arrives
     */
    SilenceWatch(Duration silence, Duration first, Runnable onFirstReply) {
        // Only silence in reading matters; 0 disables the other two checks.
        super(Math.max(1, silence.toMillis() / CHECKS), 0, 0, TimeUnit.MILLISECONDS);
        this.maxChecks = CHECKS * Math.max(1, first.toMillis() / Math.max(1, silence.toMillis()));
        this.onFirstReply = onFirstReply;
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) throws Exception {
        isReplyDue = true;
        super.write(context, message, promise);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
        isReplyDue = false;
        checksWithoutReply = 0;
        if (!hasReceived) {
            hasReceived = true;
            maxChecks = CHECKS;
            onFirstReply.run();
        }
        super.channelRead(context, message);
    }

    @Override
    protected void channelIdle(ChannelHandlerContext context, IdleStateEvent event) {
        if (isReplyDue && checksWithoutReply++ == maxChecks) {
            context.close();
        }
    }
}
