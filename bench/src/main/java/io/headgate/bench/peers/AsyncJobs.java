package io.headgate.bench.peers;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

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
