package io.headgate.bench.run;

import io.lettuce.core.RedisClient;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.handler.flush.FlushConsolidationHandler;
import java.time.Duration;

/**
 * The URL of Redis, and a Lettuce client that opens a connection for each subject.
 *
 * <p>By default, Lettuce flushes each command to the network. If a script is faster than the client, Redis then spends most of its time
 * on reading single commands; if the script is slower, Redis reads many commands in one system call. A fast script would cost as much as
 * a slow one. Therefore this client combines up to {@value #MAX_COMBINED_FLUSHES} flushes into one write, for most subjects on Lettuce.
 */
public record RedisAccess(String url, RedisClient client) implements AutoCloseable {

    private static final int MAX_COMBINED_FLUSHES = 16;

    static RedisAccess to(String url) {
        ClientResources resources = ClientResources.builder()
                .nettyCustomizer(new NettyCustomizer() {
                    @Override
                    public void afterChannelInitialized(Channel channel) {
                        channel.pipeline().addFirst(new FlushConsolidationHandler(MAX_COMBINED_FLUSHES, true));
                    }
                })
                .build();
        return new RedisAccess(url, RedisClient.create(resources, url));
    }

    @Override
    public void close() {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        client.getResources().shutdown();
    }
}
