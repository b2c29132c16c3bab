package io.headgate.bench.peers;

import io.headgate.bench.peers.AsyncPeerQueue.AsyncJobs;
import io.headgate.bench.peers.RedissonSubject.RedissonClients;
import io.headgate.bench.run.RedisAccess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.ByteArrayCodec;

/**
 * Redisson's blocking queue, with the delayed queue in front of it for jobs that are due later. There is no acknowledgement: a poll
 * removes the job.
 */
@SuppressWarnings("deprecation") // the replacement of the delayed queue is a paid feature
public final class RedissonJobs implements AsyncJobs {

    private final RedissonClient client;
    private final RBlockingQueue<byte[]> queue;
    private final RDelayedQueue<byte[]> waiting;

    private RedissonJobs(RedissonClient client) {
        this.client = client;
        this.queue = client.getBlockingQueue("redisson", ByteArrayCodec.INSTANCE);
        this.waiting = client.getDelayedQueue(queue);
    }

    public static RedissonJobs over(RedisAccess access) {
        return new RedissonJobs(RedissonClients.connect(access));
    }

    @Override
    public CompletionStage<?> enqueue(byte[] payload) {
        return queue.offerAsync(payload);
    }

    @Override
    public CompletionStage<?> enqueueAll(List<byte[]> payloads) {
        return queue.addAllAsync(payloads);
    }

    @Override
    public CompletionStage<?> enqueueLater(List<byte[]> payloads, Duration delay) {
        return CompletableFuture.allOf(IntStream.range(0, payloads.size())
                .mapToObj(i -> waiting.offerAsync(payloads.get(i), delay.toMillis() + i, TimeUnit.MILLISECONDS)
                        .toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new));
    }

    @Override
    public CompletionStage<Integer> process(int most, Consumer<byte[]> handler) {
        return queue.pollAsync(most).thenApply(payloads -> {
            payloads.forEach(handler);
            return payloads.size();
        });
    }

    @Override
    public void close() {
        waiting.destroy();
        client.shutdown(0, 2, TimeUnit.SECONDS);
    }
}
