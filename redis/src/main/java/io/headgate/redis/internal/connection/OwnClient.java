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
 * Creates the Lettuce client of an engine that does not use the application's. An attempt to connect takes up to 5 s, unless the
 * URL has a timeout. Attempts to reconnect are up to 250 ms apart. A {@link SilenceWatch} closes connections that no longer
 * deliver replies.
 */
public final class OwnClient {

    /** The default timeout of a connection with its handshake, and the maximum timeout of the TCP connection. */
    private static final Duration LONGEST_CONNECT = Duration.ofSeconds(5);

    private OwnClient() {}

    /**
     * Exponential backoff with random jitter, so that the instances do not all reconnect at the same time: from 5 ms to a
     * maximum, which doubles from 20 ms at the first attempt to 250 ms.
     */
    static final class ReconnectDelay extends Delay {

        private static final int SHORTEST_MILLIS = 5;
        private static final int LONGEST_MILLIS = 250;

        @Override
        public Duration createDelay(long attempt) {
            int maxMillis = (int) Math.min(LONGEST_MILLIS, 10L << Math.max(0, Math.min(attempt, 5)));
            return Duration.ofMillis(ThreadLocalRandom.current().nextInt(SHORTEST_MILLIS, maxMillis + 1));
        }
    }

    /**
     * Adds a {@link SilenceWatch} to each connection. Until the first reply of this Redis has arrived, a connection is closed
     * only after the timeout for connecting, because the latency is not known yet.
     */
    private static final class SilenceWatches implements NettyCustomizer {

        private final Duration silence;
        private final Duration first;
        private volatile boolean hasReceived;

        SilenceWatches(Duration silence, Duration first) {
            this.silence = silence;
            this.first = first;
        }

        @Override
        public void afterChannelInitialized(Channel channel) {
            channel.pipeline()
                    .addFirst(new SilenceWatch(silence, hasReceived ? silence : first, () -> hasReceived = true));
        }
    }

    /** Creates the client of a single Redis, or of the master that sentinels report. */
    static RedisClient of(ConnectionSettings settings) {
        return with(RedisClient.create(resources(settings), settings.uri()), settings);
    }

    /** Creates the client of a Cluster; each node is connected to separately. */
    public static RedisClient ofNodes(ConnectionSettings settings) {
        return with(RedisClient.create(resources(settings)), settings);
    }

    private static ClientResources resources(ConnectionSettings settings) {
        RedisURI uri = settings.uri();
        if (uri.getTimeout().equals(RedisURI.DEFAULT_TIMEOUT_DURATION)) {
            // This timeout bounds the handshake. Lettuce's default is one minute, unless the URL has a timeout.
            uri.setTimeout(LONGEST_CONNECT);
        }
        return ClientResources.builder()
                .reconnectDelay(new ReconnectDelay())
                .nettyCustomizer(new SilenceWatches(settings.silence(), uri.getTimeout()))
                .build();
    }

    /**
     * Disables maintenance notifications, which only hosted Redis sends and Headgate does not use. Other servers reject
     * the command, which Lettuce 7.2 logs as a warning for each connection. The option is found by reflection, as
     * Lettuce 6.6 does not have it.
     */
    private static void disableMaintenanceEvents(ClientOptions.Builder options) {
        try {
            Class<?> config = Class.forName("io.lettuce.core.MaintNotificationsConfig");
            Object disabled = config.getMethod("disabled").invoke(null);
            ClientOptions.Builder.class
                    .getMethod("maintNotificationsConfig", config)
                    .invoke(options, disabled);
        } catch (ReflectiveOperationException e) {
            // This Lettuce does not request them, or has no such option.
            return;
        }
    }

    private static RedisClient with(RedisClient client, ConnectionSettings settings) {
        ClientOptions.Builder options = ClientOptions.builder()
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(shorter(LONGEST_CONNECT, settings.silence()))
                        .keepAlive(true)
                        .build());
        settings.tls().ifPresent(options::sslOptions);
        disableMaintenanceEvents(options);
        client.setOptions(options.build());
        return client;
    }

    /**
     * Returns the shorter time, which bounds a connection attempt: a new attempt succeeds sooner than the retransmissions
     * of the operating system, whose pauses grow.
     */
    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** Shuts down a client that this class created, and its threads; waits up to 2 s for each. */
    public static void shutdown(RedisClient client) {
        client.shutdown(0, 2, TimeUnit.SECONDS);
        client.getResources().shutdown(0, 2, TimeUnit.SECONDS);
    }
}
