package io.headgate.spring.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.spring.queues.internal.batch.Batches;
import io.headgate.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests when batches start, and how they end. */
class BatchesTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    private final Recorded handler = new Recorded();

    /** Records batches; one with a 0 throws an error, one with a 100 has an end of its own, and negative elements have expired. */
    private static final class Recorded implements Batches.Handler<Integer> {

        private final List<List<Integer>> handled = new CopyOnWriteArrayList<>();
        private final List<List<Integer>> rejected = new CopyOnWriteArrayList<>();
        private final List<String> threads = new CopyOnWriteArrayList<>();
        private final List<Integer> expired = new CopyOnWriteArrayList<>();
        private final CompletableFuture<List<Integer>> end = new CompletableFuture<>();
        private final AtomicInteger ended = new AtomicInteger();

        @Override
        public CompletionStage<?> handle(List<Integer> batch) {
            threads.add(Thread.currentThread().getName());
            handled.add(batch);
            if (batch.contains(0)) {
                throw new StackOverflowError();
            }
            return batch.contains(100) ? end : CompletableFuture.completedFuture(batch);
        }

        @Override
        public void rejected(List<Integer> batch, Throwable failure) {
            rejected.add(batch);
        }

        @Override
        public void ended() {
            ended.incrementAndGet();
        }

        @Override
        public boolean isExpired(Integer element) {
            return element < 0;
        }

        @Override
        public void expired(Integer element) {
            expired.add(element);
        }
    }

    /** Runs tasks in the calling thread, or fails as a JVM that has no thread left. */
    private static final class Threads extends AbstractExecutorService {

        private boolean exhausted;

        @Override
        public void execute(Runnable task) {
            if (exhausted) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            task.run();
        }

        @Override
        public void shutdown() {}

        @Override
        public List<Runnable> shutdownNow() {
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return true;
        }
    }

    private Batches<Integer> batches(int size, Duration wait, ExecutorService threads) {
        return new Batches<>(size, 1, wait, handler, threads);
    }

    @Test
    void a_batch_starts_when_it_is_full_or_its_first_element_has_waited() {
        Batches<Integer> full = batches(2, LONG, new Threads());
        full.add(1);
        assertThat(handler.handled).isEmpty();
        full.add(2);
        assertThat(handler.handled).containsExactly(List.of(1, 2));

        batches(2, Duration.ofMillis(20), new Threads()).add(3);
        Await.until("a batch of one", LONG, () -> handler.handled.contains(List.of(3)));
        assertThat(handler.threads.get(1)).as("the timer's thread, not one of a pool").containsIgnoringCase("DelayScheduler");
    }

    @Test
    void there_is_room_only_for_batches_that_may_start() {
        Batches<Integer> batches = batches(3, LONG, new Threads());
        batches.add(1);
        assertThat(batches.room()).isEqualTo(2);
        batches.add(2);
        batches.add(100);
        assertThat(batches.room()).isZero();

        handler.end.complete(List.of());
        assertThat(handler.ended).hasValue(1);
        assertThat(batches.room()).isEqualTo(3);
    }

    @Test
    void an_element_that_was_requested_before_a_partial_batch_started_is_rejected() {
        Batches<Integer> batches = batches(3, Duration.ofMillis(20), new Threads());
        batches.add(100);
        Await.until("a partial batch", LONG, () -> handler.handled.contains(List.of(100)));
        assertThat(batches.add(1)).isFalse();

        handler.end.complete(List.of());
        Await.until("room for the next batch", LONG, () -> batches.room() > 0);
        assertThat(batches.add(2)).isTrue();
        Await.until("the next batch", LONG, () -> handler.handled.contains(List.of(2)));
        assertThat(handler.handled).hasSize(2);
    }

    @Test
    void a_closed_collector_requests_no_elements_also_when_it_has_returned_those_that_waited() {
        Batches<Integer> batches = batches(3, LONG, new Threads());
        batches.add(1);
        assertThat(batches.close()).containsExactly(1);
        assertThat(batches.room()).isZero();
        assertThat(batches.add(1)).isFalse();
    }

    @Test
    void an_element_that_has_expired_while_it_waited_is_not_handled() {
        Batches<Integer> batches = batches(3, LONG, new Threads());
        batches.add(1);
        batches.add(-2);
        batches.add(3);
        assertThat(handler.handled).containsExactly(List.of(1, 3));
        assertThat(handler.expired).containsExactly(-2);

        batches.add(-4);
        batches.removeExpired();
        assertThat(handler.expired).containsExactly(-2, -4);
        batches.add(5);
        batches.add(6);
        batches.add(7);
        assertThat(handler.handled).contains(List.of(5, 6, 7));
    }

    @Test
    void a_handler_that_throws_an_error_has_ended() {
        Batches<Integer> batches = batches(1, LONG, new Threads());
        batches.add(0);
        batches.add(1);
        assertThat(handler.handled).containsExactly(List.of(0), List.of(1));
    }

    @Test
    void a_batch_for_which_there_is_no_thread_is_rejected_and_later_ones_start() {
        Threads threads = new Threads();
        Batches<Integer> batches = batches(2, LONG, threads);
        threads.exhausted = true;
        batches.add(1);
        batches.add(2);
        assertThat(handler.rejected).containsExactly(List.of(1, 2));
        assertThat(handler.ended).hasValue(1);
        assertThat(batches.room()).isEqualTo(2);

        threads.exhausted = false;
        batches.add(3);
        batches.add(4);
        assertThat(handler.handled).containsExactly(List.of(3, 4));
    }
}
