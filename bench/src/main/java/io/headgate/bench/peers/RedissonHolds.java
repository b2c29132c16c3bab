package io.headgate.bench.peers;

import io.headgate.bench.run.RedisAccess;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RedissonClient;

/** A permit of Redisson's RPermitExpirableSemaphore, taken under a lease as long as ours and given back. */
public final class RedissonHolds implements Subject {

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

    /** Keeps a semaphore for each key, and stores their permits beforehand, without which Redisson gives none. */
    private final class SemaphoreGate implements Gate {

        private final RedissonClient client;
        private final Map<String, RPermitExpirableSemaphore> semaphores = new ConcurrentHashMap<>();

        SemaphoreGate(RedissonClient client) {
            this.client = client;
        }

        void prepare(int permits, List<String> keys) {
            CompletableFuture.allOf(keys.stream()
                            .map(key ->
                                    semaphore(key).trySetPermitsAsync(permits).toCompletableFuture())
                            .toArray(CompletableFuture[]::new))
                    .join();
        }

        private RPermitExpirableSemaphore semaphore(String key) {
            return semaphores.computeIfAbsent(key, id -> client.getPermitExpirableSemaphore(name() + ":" + id));
        }

        @Override
        public CompletionStage<Boolean> ask(String key) {
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
