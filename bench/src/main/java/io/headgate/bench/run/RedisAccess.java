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
 * <p>By default, Lettuce writes each command to the network by itself. While a subject is faster than the client, Redis then spends most
 * of its time on reading single commands; once the subject is slower, Redis reads many at once. A faster script would cost as much
 * as a slower one. So this client combines the commands that a subject sends while it reads replies, for all subjects alike.
 */
public record RedisAccess(String url, RedisClient client) implements AutoCloseable {

    private static final int WRITTEN_TOGETHER = 16;

    static RedisAccess to(String url) {
        ClientResources resources = ClientResources.builder()
                .nettyCustomizer(new NettyCustomizer() {
                    @Override
                    public void afterChannelInitialized(Channel channel) {
                        channel.pipeline().addFirst(new FlushConsolidationHandler(WRITTEN_TOGETHER, true));
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
