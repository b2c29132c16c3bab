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

/** Works with a queue that is asked through futures. */
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
        AtomicInteger last = new AtomicInteger(BATCH);
        Work work = Lanes.run(
                count,
                consumers,
                () -> handled.isComplete() || last.get() == 0
                        ? Optional.empty()
                        : Optional.of(jobs.process(BATCH, handled::add).thenAccept(last::set)));
        handled.requireComplete();
        return work;
    }

    private List<byte[]> batch(int from, int count) {
        return payloads.subList(from, Math.min(from + BATCH, count));
    }

    /** Made once for each count, outside of what is timed. */
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

    /** A queue that is asked through futures, as one subject offers it. */
    public interface AsyncJobs extends AutoCloseable {

        /** Makes ready what is not part of the work, in a Redis that has just been emptied. */
        default void prepare() {}

        /** Enqueues a job that is due at once. */
        CompletionStage<?> enqueue(byte[] payload);

        /** Enqueues jobs that are due at once. */
        CompletionStage<?> enqueueAll(List<byte[]> payloads);

        /** Enqueues jobs, the first due after that delay and each of the others a millisecond after the one before. */
        CompletionStage<?> enqueueLater(List<byte[]> payloads, Duration delay);

        /**
         * Takes jobs that are due in hand, handles each, and then says that they are done.
         *
         * @return how many there were
         */
        CompletionStage<Integer> process(int most, Consumer<byte[]> handler);

        @Override
        void close();
    }
}
