package io.headgate.redis.internal.connection;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * The client of an engine that was not given the application's: connects in bounded time, and again within a quarter of a
 * second, also when nothing comes back any more.
 */
public final class OwnClient {

    /** How long the first connection may take, with all that is said before the first call. */
    private static final Duration LONGEST_CONNECT = Duration.ofSeconds(5);

    private OwnClient() {}

    /** Up to a quarter of a second, and less at first; not the same for all instances, lest all come in the same moment. */
    static final class ReconnectDelay extends Delay {

        private static final int SHORTEST_MILLIS = 5;
        private static final int LONGEST_MILLIS = 250;

        @Override
        public Duration createDelay(long attempt) {
            int most = (int) Math.min(LONGEST_MILLIS, 10L << Math.max(0, Math.min(attempt, 5)));
            return Duration.ofMillis(ThreadLocalRandom.current().nextInt(SHORTEST_MILLIS, most + 1));
        }
    }

    /** Watches each connection. The first may take longer: until something was heard, nobody knows how Redis is. */
    private static final class Silences implements NettyCustomizer {

        private final Duration silence;
        private final Duration first;
        private volatile boolean heard;

        Silences(Duration silence, Duration first) {
            this.silence = silence;
            this.first = first;
        }

        @Override
        public void afterChannelInitialized(Channel channel) {
            channel.pipeline().addFirst(new SilenceWatch(silence, heard ? silence : first, () -> heard = true));
        }
    }

    /** That of one Redis, or of that which sentinels know. */
    static RedisClient of(ConnectionSettings settings) {
        return with(RedisClient.create(resources(settings), settings.uri()), settings);
    }

    /** That of a Cluster, whose nodes are connected to one by one. */
    public static RedisClient ofNodes(ConnectionSettings settings) {
        return with(RedisClient.create(resources(settings)), settings);
    }

    private static ClientResources resources(ConnectionSettings settings) {
        RedisURI uri = settings.uri();
        if (uri.getTimeout().equals(RedisURI.DEFAULT_TIMEOUT_DURATION)) {
            // It bounds what is said before the first call: a minute, unless the URL names a time-out.
            uri.setTimeout(LONGEST_CONNECT);
        }
        return ClientResources.builder()
                .reconnectDelay(new ReconnectDelay())
                .nettyCustomizer(new Silences(settings.silence(), uri.getTimeout()))
                .build();
    }

    /**
     * Has the client library not ask for maintenance events, which only hosted Redis sends and Headgate does not need: others refuse it,
     * which Lettuce 7.2 logs as a warning for each connection. Looked up by name, as Lettuce 6.6 has no such option.
     */
    private static void disableMaintenanceEvents(ClientOptions.Builder options) {
        try {
            Class<?> config = Class.forName("io.lettuce.core.MaintNotificationsConfig");
            Object disabled = config.getMethod("disabled").invoke(null);
            ClientOptions.Builder.class
                    .getMethod("maintNotificationsConfig", config)
                    .invoke(options, disabled);
        } catch (ReflectiveOperationException e) {
            // This Lettuce does not ask for them, or has no such option.
            return;
        }
    }

    private static RedisClient with(RedisClient client, ConnectionSettings settings) {
        ClientOptions.Builder options = ClientOptions.builder()
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(least(LONGEST_CONNECT, settings.silence()))
                        .keepAlive(true)
                        .build());
        settings.tls().ifPresent(options::sslOptions);
        disableMaintenanceEvents(options);
        client.setOptions(options.build());
        return client;
    }

    /** An attempt that hears nothing is begun anew rather than waited for: the system itself tries less and less often. */
    private static Duration least(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    public static void shutdown(RedisClient client) {
        client.shutdown(0, 2, TimeUnit.SECONDS);
        client.getResources().shutdown(0, 2, TimeUnit.SECONDS);
    }
}
