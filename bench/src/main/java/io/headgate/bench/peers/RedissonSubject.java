package io.headgate.bench.peers;

import io.headgate.bench.run.RedisAccess;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;

/** Redisson's RRateLimiter over Redisson's own driver, with its usual pool of connections. */
public final class RedissonSubject implements Subject {

    @Override
    public String name() {
        return "redisson";
    }

    @Override
    public Gate open(RedisAccess access, Quota quota, List<String> keys) {
        RedissonGate gate = new RedissonGate(RedissonClients.connect(access));
        gate.prepare(quota, keys);
        return gate;
    }

    /** Keeps a limiter for each key, and stores their rates beforehand, without which Redisson refuses to answer. */
    private final class RedissonGate implements Gate {

        private final RedissonClient client;
        private final Map<String, RRateLimiter> limiters = new ConcurrentHashMap<>();

        RedissonGate(RedissonClient client) {
            this.client = client;
        }

        void prepare(Quota quota, List<String> keys) {
            CompletableFuture.allOf(keys.stream()
                            .map(key -> limiter(key)
                                    .trySetRateAsync(RateType.OVERALL, quota.permits(), quota.window())
                                    .toCompletableFuture())
                            .toArray(CompletableFuture[]::new))
                    .join();
        }

        private RRateLimiter limiter(String key) {
            return limiters.computeIfAbsent(key, id -> client.getRateLimiter(name() + ":" + id));
        }

        @Override
        public CompletionStage<Boolean> ask(String key) {
            return limiter(key).tryAcquireAsync();
        }

        @Override
        public void close() {
            client.shutdown(0, 2, TimeUnit.SECONDS);
        }
    }
}
