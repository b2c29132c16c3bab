package io.headgate.bench.peers;

import io.headgate.bench.peers.Payloads.Handled;
import io.headgate.bench.peers.PeerQueue.Work;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;

/** A peer queue with an asynchronous API. */
public final class AsyncPeerQueue implements PeerQueue {

    private static final Duration LATER = Duration.ofHours(1);

    private final AsyncJobs jobs;
    private List<byte[]> payloads = List.of();

    public AsyncPeerQueue(AsyncJobs jobs) {
        this.jobs = jobs;
    }

    @Override
    public void prepare() {
        jobs.prepare();
    }

    @Override
    public Work enqueue(int count) {
        List<byte[]> all = payloads(count);
        AtomicInteger sent = new AtomicInteger();
        return Lanes.run(count, IN_FLIGHT, () -> {
            int number = sent.getAndIncrement();
            return number < count ? Optional.of(jobs.enqueue(all.get(number))) : Optional.empty();
        });
    }

    @Override
    public Work enqueueBatches(int count) {
        return batches(count, from -> jobs.enqueueAll(batch(from, count)));
    }

    @Override
    public Work enqueueLater(int count) {
        return batches(count, from -> jobs.enqueueLater(batch(from, count), LATER.plusMillis(from)));
    }

    private Work batches(int count, Function<Integer, CompletionStage<?>> batch) {
        payloads(count);
        AtomicInteger sent = new AtomicInteger();
        return Lanes.run(count, BATCHES_IN_FLIGHT, () -> {
            int from = sent.getAndAdd(BATCH);
            return from < count ? Optional.of(batch.apply(from)) : Optional.empty();
        });
    }

    @Override
    public Work process(int count, int consumers) {
        Handled handled = new Handled(payloads(count));
        AtomicInteger lastBatch = new AtomicInteger(BATCH);
        Work work = Lanes.run(
                count,
                consumers,
                () -> handled.isComplete() || lastBatch.get() == 0
                        ? Optional.empty()
                        : Optional.of(jobs.process(BATCH, handled::add).thenAccept(lastBatch::set)));
        handled.requireComplete();
        return work;
    }

    private List<byte[]> batch(int from, int count) {
        return payloads.subList(from, Math.min(from + BATCH, count));
    }

    /** The payloads of this many jobs, created again only for another number of jobs; the caller does not measure this. */
    private List<byte[]> payloads(int count) {
        if (payloads.size() != count) {
            payloads = Payloads.of(count);
        }
        return payloads;
    }

    @Override
    public void close() {
        jobs.close();
    }

    /** The asynchronous operations of one queue. */
    public interface AsyncJobs extends AutoCloseable {

        /** Prepares an empty Redis; not measured. */
        default void prepare() {}

        /** Enqueues a job that is due immediately. */
        CompletionStage<?> enqueue(byte[] payload);

        /** Enqueues jobs that are due immediately. */
        CompletionStage<?> enqueueAll(List<byte[]> payloads);

        /** Enqueues delayed jobs: the first is due after this delay, and each further one a millisecond later. */
        CompletionStage<?> enqueueLater(List<byte[]> payloads, Duration delay);

        /**
         * Claims due jobs, handles each, and acknowledges them.
         *
         * @return the number of jobs
         */
        CompletionStage<Integer> process(int most, Consumer<byte[]> handler);

        @Override
        void close();
    }
}
