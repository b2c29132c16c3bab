package io.headgate.bench.peers;

import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.AsyncBucketProxy;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.AsyncProxyManager;
import io.github.bucket4j.distributed.proxy.optimization.Optimization;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.headgate.bench.peers.Subject.Gate;
import io.headgate.bench.peers.Subject.Quota;
import io.headgate.bench.run.RedisAccess;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/** Bucket4j on Lettuce: a token bucket by compare-and-swap, with or without one of its optimizations. */
public record Bucket4jSubject(String name, Optimization optimization) implements Subject {

    private static final Duration KEEP_TIME = Duration.ofMinutes(1);

    @Override
    public Gate open(RedisAccess access, Quota quota, List<String> keys) {
        RedisCodec<String, byte[]> codec = RedisCodec.of(StringCodec.ASCII, ByteArrayCodec.INSTANCE);
        StatefulRedisConnection<String, byte[]> connection = access.client().connect(codec);
        AsyncProxyManager<String> manager = Bucket4jLettuce.casBasedBuilder(connection)
                .expirationAfterWrite(ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(KEEP_TIME))
                .build()
                .asAsync();
        BucketConfiguration bucket = BucketConfiguration.builder()
                .addLimit(limit -> limit.capacity(quota.permits()).refillGreedy(quota.permits(), quota.window()))
                .build();
        return new BucketGate(connection, manager, bucket);
    }

    /** Keeps a proxy for each key: Bucket4j batches requests by proxy, and building a proxy for each request would cost time. */
    private final class BucketGate implements Gate {

        private final StatefulRedisConnection<String, byte[]> connection;
        private final AsyncProxyManager<String> manager;
        private final BucketConfiguration bucket;
        private final Map<String, AsyncBucketProxy> proxies = new ConcurrentHashMap<>();

        BucketGate(
                StatefulRedisConnection<String, byte[]> connection,
                AsyncProxyManager<String> manager,
                BucketConfiguration bucket) {
            this.connection = connection;
            this.manager = manager;
            this.bucket = bucket;
        }

        @Override
        public CompletionStage<Boolean> tryAcquire(String key) {
            return proxies.computeIfAbsent(key, this::proxy).tryConsume(1);
        }

        private AsyncBucketProxy proxy(String key) {
            return manager.builder()
                    .withOptimization(optimization)
                    .build(name + ":" + key, () -> CompletableFuture.completedFuture(bucket));
        }

        @Override
        public void close() {
            connection.close();
        }
    }
}
