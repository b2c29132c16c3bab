package io.headgate.bench.queues;

import io.headgate.bench.peers.AsyncPeerQueue.AsyncJobs;
import io.headgate.bench.run.RedisAccess;
import io.headgate.queues.AsyncJobQueue;
import io.headgate.queues.AsyncLease;
import io.headgate.queues.Codec;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.Settled;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.queues.RedisQueueEngine;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** A queue of Headgate, used through the public asynchronous API. */
final class HeadgateJobs implements AsyncJobs {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration LEASE = Duration.ofSeconds(30);

    private final QueueEngine queues;
    private final AsyncJobQueue<byte[]> queue;

    HeadgateJobs(QueueEngine queues) {
        this.queues = queues;
        this.queue = queues.queue("jobs", Codec.bytes()).async();
    }

    /** A queue of an engine over the client of the peers. */
    static HeadgateJobs over(RedisAccess redis) {
        return new HeadgateJobs(engine(redis));
    }

    /** An engine over the client of the peers, with a timeout that a busy machine does not reach. */
    static QueueEngine engine(RedisAccess redis) {
        return RedisQueueEngine.connect(RedisSettings.of(redis.client()).withTimeout(TIMEOUT));
    }

    @Override
    public CompletionStage<?> enqueue(byte[] payload) {
        return queue.enqueue(payload);
    }

    @Override
    public CompletionStage<?> enqueueAll(List<byte[]> payloads) {
        return queue.enqueueAll(payloads.stream().map(NewJob::of).toList());
    }

    @Override
    public CompletionStage<?> enqueueLater(List<byte[]> payloads, Duration delay) {
        return queue.enqueueAll(IntStream.range(0, payloads.size())
                .mapToObj(i -> NewJob.of(payloads.get(i)).after(delay.plusMillis(i)))
                .toList());
    }

    @Override
    public CompletionStage<Integer> process(int most, Consumer<byte[]> handler) {
        return queue.claim(most, LEASE).thenCompose(leases -> {
            if (leases.isEmpty()) {
                return CompletableFuture.completedFuture(0);
            }
            leases.forEach(lease -> handler.accept(lease.job().payload()));
            return ack(leases);
        });
    }

    private CompletionStage<Integer> ack(List<AsyncLease<byte[]>> leases) {
        return queue.ackAll(leases).thenApply(settled -> {
            if (settled.contains(Settled.LEASE_LOST)) {
                throw new IllegalStateException("a lease was lost within " + LEASE);
            }
            return settled.size();
        });
    }

    @Override
    public void close() {
        queues.close();
    }
}
