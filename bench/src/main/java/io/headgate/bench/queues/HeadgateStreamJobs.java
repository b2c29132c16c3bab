package io.headgate.bench.queues;

import io.headgate.bench.peers.AsyncPeerQueue.AsyncJobs;
import io.headgate.bench.run.RedisAccess;
import io.headgate.queues.AsyncLease;
import io.headgate.queues.Codec;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.Settled;
import io.headgate.queues.streams.AsyncConsumerGroup;
import io.headgate.queues.streams.AsyncEventStream;
import io.headgate.queues.streams.GroupSettings;
import io.headgate.queues.streams.NewEntry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** A stream of Headgate with one group, used through the public API, with leases, fencing, takeover and retries. */
final class HeadgateStreamJobs implements AsyncJobs {

    private final QueueEngine queues;
    private final AsyncEventStream<byte[]> stream;
    private final AsyncConsumerGroup<byte[]> group;

    private HeadgateStreamJobs(QueueEngine queues) {
        this.queues = queues;
        this.stream = queues.stream("jobs", Codec.bytes()).async();
        this.group = stream.group(GroupSettings.of("workers"));
    }

    /** A stream of an engine over the client of the peers. */
    static HeadgateStreamJobs over(RedisAccess redis) {
        return new HeadgateStreamJobs(HeadgateJobs.engine(redis));
    }

    @Override
    public CompletionStage<?> enqueue(byte[] payload) {
        return stream.produce(payload);
    }

    @Override
    public CompletionStage<?> enqueueAll(List<byte[]> payloads) {
        return stream.produceAll(payloads.stream().map(NewEntry::of).toList());
    }

    @Override
    public CompletionStage<?> enqueueLater(List<byte[]> payloads, Duration delay) {
        throw new UnsupportedOperationException("a stream has no delays");
    }

    @Override
    public CompletionStage<Integer> process(int most, Consumer<byte[]> handler) {
        return group.claim(most).thenCompose(leases -> {
            if (leases.isEmpty()) {
                return CompletableFuture.completedFuture(0);
            }
            leases.forEach(lease -> handler.accept(lease.job().payload()));
            return ack(leases);
        });
    }

    private CompletionStage<Integer> ack(List<AsyncLease<byte[]>> leases) {
        return group.ackAll(leases).thenApply(settled -> {
            if (settled.contains(Settled.LEASE_LOST)) {
                throw new IllegalStateException("a lease was lost before its ack");
            }
            return settled.size();
        });
    }

    @Override
    public void close() {
        queues.close();
    }
}
