package io.headgate.server.net;

import com.linecorp.armeria.common.HttpRequest;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import org.jspecify.annotations.Nullable;

/**
 * Counts the requests of an HTTP/1 connection whose responses are not sent. A response is sent when the operating system has
 * taken its last byte. Runs on the connection's event loop.
 */
final class Http1Exchanges extends ChannelDuplexHandler {

    private Runnable onChange = () -> {};
    private int open;
    private long lastChangeNanos;
    private @Nullable HttpRequest last;

    /** Runs this after each response that was sent. */
    void onChange(Runnable action) {
        onChange = action;
    }

    /**
     * Whether the gate may pass on the bytes up to the next empty line, which complete at most one more request: no request is
     * open, or the only open one has not arrived completely.
     */
    boolean mayReadOn() {
        return open == 0 || (open == 1 && last != null && last.isOpen());
    }

    /** Whether a request has been open, with no response sent, for so long. */
    boolean openFor(long nanos) {
        return open > 0 && System.nanoTime() - lastChangeNanos > nanos;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof HttpRequest request) {
            changed(open + 1);
            last = request;
        }
        ctx.fireChannelRead(message);
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        boolean endsResponse = message instanceof LastHttpContent && !isInformational(message);
        ctx.write(message, promise.unvoid().addListener(sent -> {
            OutOfMemoryExit.check(sent.cause());
            if (!endsResponse) {
                return;
            }
            changed(Math.max(0, open - 1)); // the response to a malformed request has no request
            onChange.run();
        }));
    }

    private void changed(int openNow) {
        open = openNow;
        last = openNow == 0 ? null : last; // an idle connection keeps no request
        lastChangeNanos = System.nanoTime();
    }

    private static boolean isInformational(Object message) {
        return message instanceof HttpResponse response
                && response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
    }
}
