package io.headgate.bench.peers;

import io.headgate.bench.peers.Subject.Gate;
import io.headgate.bench.peers.Subject.Quota;
import io.headgate.bench.run.RedisAccess;
import io.lettuce.core.resource.EpollProvider;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.redisson.config.TransportMode;

/** Redisson's RRateLimiter over Redisson's own driver, with its default connection pool. */
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

    /** Keeps a limiter for each key, and stores the rates in advance, because Redisson rejects requests without a rate. */
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
        public CompletionStage<Boolean> tryAcquire(String key) {
            return limiter(key).tryAcquireAsync();
        }

        @Override
        public void close() {
            client.shutdown(0, 2, TimeUnit.SECONDS);
        }
    }

    /** A permit of Redisson's RPermitExpirableSemaphore, acquired with the same lease as Headgate's and released. */
    public static final class RedissonHolds implements Subject {

        private static final long LEASE_SECONDS = 30;

        private static final CompletionStage<Boolean> DENIED = CompletableFuture.completedFuture(false);

        @Override
        public String name() {
            return "redisson-semaphore";
        }

        @Override
        public Gate open(RedisAccess access, Quota quota, List<String> keys) {
            SemaphoreGate gate = new SemaphoreGate(RedissonClients.connect(access));
            gate.prepare((int) quota.permits(), keys);
            return gate;
        }

        /** Keeps a semaphore for each key, and stores the permits in advance, because a new semaphore of Redisson has none. */
        private final class SemaphoreGate implements Gate {

            private final RedissonClient client;
            private final Map<String, RPermitExpirableSemaphore> semaphores = new ConcurrentHashMap<>();

            SemaphoreGate(RedissonClient client) {
                this.client = client;
            }

            void prepare(int permits, List<String> keys) {
                CompletableFuture.allOf(keys.stream()
                                .map(key -> semaphore(key)
                                        .trySetPermitsAsync(permits)
                                        .toCompletableFuture())
                                .toArray(CompletableFuture[]::new))
                        .join();
            }

            private RPermitExpirableSemaphore semaphore(String key) {
                return semaphores.computeIfAbsent(key, id -> client.getPermitExpirableSemaphore(name() + ":" + id));
            }

            @Override
            public CompletionStage<Boolean> tryAcquire(String key) {
                RPermitExpirableSemaphore semaphore = semaphore(key);
                return semaphore
                        .tryAcquireAsync(0, LEASE_SECONDS, TimeUnit.SECONDS)
                        .thenCompose(id ->
                                id == null ? DENIED : semaphore.releaseAsync(id).thenApply(nothing -> true));
            }

            @Override
            public void close() {
                client.shutdown(0, 2, TimeUnit.SECONDS);
            }
        }
    }

    /** Clients with Redisson's own driver and its default connection pool. */
    static final class RedissonClients {

        private RedissonClients() {}

        static RedissonClient connect(RedisAccess access) {
            Config config = new Config();
            config.useSingleServer().setAddress(access.url());
            if (EpollProvider.isAvailable()) {
                // Lettuce uses epoll by default.
                config.setTransportMode(TransportMode.EPOLL);
            }
            return Redisson.create(config);
        }
    }
}
