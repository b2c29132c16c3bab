package io.headgate.bench.run;

import io.lettuce.core.RedisClient;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.handler.flush.FlushConsolidationHandler;
import java.time.Duration;

/**
 * Where the Redis is, and the Lettuce client that opens a connection to it for each subject.
 *
 * <p>Lettuce writes each command to the network by itself. Then Redis spends most of its time on taking commands in one
 * by one as long as the subject is faster than the client, and takes many at once as soon as it is slower: a faster
 * script would cost as much as a slower one. So what a subject sends while replies are read is written together, up to
 * so many commands, for all subjects alike.
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
