package io.headgate.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.bench.peers.AsyncPeerQueue.AsyncJobs;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The measurement fails if a queue loses, repeats or changes a job. */
class AsyncPeerQueueTest {

    private static final int JOBS = 250;

    private final Deque<byte[]> waiting = new ArrayDeque<>();

    @Test
    void all_enqueued_jobs_are_processed() {
        PeerQueue queue = new AsyncPeerQueue(new JobsInMemory());

        assertThat(queue.enqueueBatches(JOBS).jobs()).isEqualTo(JOBS);
        assertThat(queue.process(JOBS, 3).jobs()).isEqualTo(JOBS);
        assertThat(queue.enqueue(JOBS).perSecond()).isPositive();
        assertThat(queue.process(JOBS, 1).perSecond()).isPositive();
        assertThat(waiting).isEmpty();
    }

    @Test
    void a_lost_job_throws_an_exception() {
        PeerQueue queue = new AsyncPeerQueue(new JobsInMemory());
        queue.enqueue(JOBS);
        waiting.remove();

        assertThatThrownBy(() -> queue.process(JOBS, 3))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("1 of 250 jobs did not come out");
    }

    @Test
    void a_job_that_is_delivered_twice_throws_an_exception() {
        PeerQueue queue = new AsyncPeerQueue(new JobsInMemory());
        queue.enqueue(JOBS);
        waiting.addFirst(waiting.element());

        assertThatThrownBy(() -> queue.process(JOBS, 1)).hasMessageContaining("job 0 came out twice");
    }

    @Test
    void a_job_that_is_delivered_with_another_payload_throws_an_exception() {
        PeerQueue queue = new AsyncPeerQueue(new JobsInMemory());
        queue.enqueue(JOBS);
        byte[] changed = waiting.remove().clone();
        changed[PeerQueue.PAYLOAD_BYTES - 1]++;
        waiting.addFirst(changed);

        assertThatThrownBy(() -> queue.process(JOBS, 1)).hasMessageContaining("that did not go in, number 0");
    }

    @Test
    void a_failed_request_throws_its_exception() {
        PeerQueue queue = new AsyncPeerQueue(new JobsInMemory() {
            @Override
            public CompletionStage<?> enqueue(byte[] payload) {
                return Payloads.number(payload) == 70
                        ? CompletableFuture.failedFuture(new IllegalStateException("full"))
                        : super.enqueue(payload);
            }
        });

        assertThatThrownBy(() -> queue.enqueue(JOBS)).hasMessageContaining("full");
    }

    @Test
    void payloads_differ_in_more_than_their_number() {
        List<byte[]> payloads = Payloads.of(2);

        assertThat(payloads).allMatch(payload -> payload.length == PeerQueue.PAYLOAD_BYTES);
        assertThat(Arrays.copyOfRange(payloads.get(0), Integer.BYTES, PeerQueue.PAYLOAD_BYTES))
                .isNotEqualTo(Arrays.copyOfRange(payloads.get(1), Integer.BYTES, PeerQueue.PAYLOAD_BYTES));
    }

    /** A queue in memory: keeps jobs in order, and answers immediately. */
    private class JobsInMemory implements AsyncJobs {

        @Override
        public CompletionStage<?> enqueue(byte[] payload) {
            waiting.add(payload);
            return CompletableFuture.completedFuture(true);
        }

        @Override
        public CompletionStage<?> enqueueAll(List<byte[]> payloads) {
            waiting.addAll(payloads);
            return CompletableFuture.completedFuture(true);
        }

        @Override
        public CompletionStage<?> enqueueLater(List<byte[]> payloads, Duration delay) {
            return enqueueAll(payloads);
        }

        @Override
        public CompletionStage<Integer> process(int most, Consumer<byte[]> handler) {
            try {
                int count = Math.min(most, waiting.size());
                for (int i = 0; i < count; i++) {
                    handler.accept(waiting.remove());
                }
                return CompletableFuture.completedFuture(count);
            } catch (IllegalStateException e) {
                return CompletableFuture.failedFuture(e);
            }
        }

        @Override
        public void close() {}
    }
}
