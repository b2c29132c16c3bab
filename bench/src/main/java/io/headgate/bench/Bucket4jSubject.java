package io.headgate.bench;

import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.AsyncBucketProxy;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.AsyncProxyManager;
import io.github.bucket4j.distributed.proxy.optimization.Optimization;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.RedisClient;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/** Bucket4j on Lettuce: a token bucket by compare-and-swap, as it comes or with one of its optimizations. */
record Bucket4jSubject(String name, Optimization optimization) implements Subject {

    private static final Duration KEPT = Duration.ofMinutes(1);

    @Override
    public Gate open(String redisUrl, Quota quota, List<String> keys) {
        RedisClient client = RedisClient.create(redisUrl);
        RedisCodec<String, byte[]> codec = RedisCodec.of(StringCodec.ASCII, ByteArrayCodec.INSTANCE);
        AsyncProxyManager<String> manager = Bucket4jLettuce.casBasedBuilder(client.connect(codec))
                .expirationAfterWrite(ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(KEPT))
                .build()
                .asAsync();
        BucketConfiguration bucket = BucketConfiguration.builder()
                .addLimit(limit -> limit.capacity(quota.permits()).refillGreedy(quota.permits(), quota.window()))
                .build();
        return new BucketGate(client, manager, bucket);
    }

    /** Keeps a proxy for each key, which is what batches are made by, and spares the others their building. */
    private final class BucketGate implements Gate {

        private final RedisClient client;
        private final AsyncProxyManager<String> manager;
        private final BucketConfiguration bucket;
        private final Map<String, AsyncBucketProxy> proxies = new ConcurrentHashMap<>();

        BucketGate(RedisClient client, AsyncProxyManager<String> manager, BucketConfiguration bucket) {
            this.client = client;
            this.manager = manager;
            this.bucket = bucket;
        }

        @Override
        public CompletionStage<Boolean> ask(String key) {
            return proxies.computeIfAbsent(key, this::proxy).tryConsume(1);
        }

        private AsyncBucketProxy proxy(String key) {
            return manager.builder()
                    .withOptimization(optimization)
                    .build(name + ":" + key, () -> CompletableFuture.completedFuture(bucket));
        }

        @Override
        public void close() {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }
}
