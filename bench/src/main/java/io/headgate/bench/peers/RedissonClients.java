package io.headgate.bench.peers;

import io.headgate.bench.run.RedisAccess;
import io.lettuce.core.resource.EpollProvider;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.redisson.config.TransportMode;

/** Redisson's own driver, with its usual pool of connections. */
final class RedissonClients {

    private RedissonClients() {}

    static RedissonClient connect(RedisAccess access) {
        Config config = new Config();
        config.useSingleServer().setAddress(access.url());
        if (EpollProvider.isAvailable()) {
            // Lettuce takes it by itself.
            config.setTransportMode(TransportMode.EPOLL);
        }
        return Redisson.create(config);
    }
}
