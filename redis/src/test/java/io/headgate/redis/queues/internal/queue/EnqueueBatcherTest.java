package io.headgate.redis.queues.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.queues.Enqueued;
import io.headgate.queues.NewJob;
import io.headgate.queues.Priority;
import io.headgate.queues.QueueListener;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.internal.QueueEvents;
import io.headgate.redis.internal.script.QueuedCall;
import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.redis.internal.script.ScriptExecutor;
import io.headgate.redis.queues.internal.durability.Writes;
import io.headgate.redis.queues.internal.job.EnqueueGroup;
import io.headgate.redis.queues.internal.job.QueueKeys;
import io.headgate.redis.queues.internal.job.ScriptClock;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Waiting requests complete, whatever happens to the calls before them. */
class EnqueueBatcherTest {

    private final Deque<CompletableFuture<?>> inFlight = new ArrayDeque<>();
    private boolean broken;
    private int callsToFail;

    private final ScriptExecutor executor = new ScriptExecutor() {
        @Override
        public <T> CompletableFuture<T> execute(ScriptCall<T> call) {
            if (callsToFail-- > 0) {
                throw new IllegalStateException("as a test");
            }
            CompletableFuture<T> answer = new CompletableFuture<>();
            if (broken) {
                answer.completeExceptionally(new IllegalStateException("not connected"));
            } else {
                inFlight.add(answer);
            }
            return answer;
        }
    };

    private final EnqueueBatcher batcher = new EnqueueBatcher(
            new QueuePlanner(
                    QueueSettings.of("line"),
                    new QueueKeys("hg", "line"),
                    new ScriptChoice(new QueueScripts(false), new QueueScripts(false, false, true)),
                    ScriptClock.OF_REDIS),
            Writes.unconfirmed(executor),
            new QueueEvents(List.of(), new QueueListener.Source.OfQueue("line")));

    /** Adds a request to enqueue a job with a payload of this size. */
    private CompletableFuture<List<Enqueued>> add(int bytes) {
        return add(NewJob.of("any"), bytes);
    }

    private CompletableFuture<List<Enqueued>> add(NewJob<String> job, int bytes) {
        return batcher.add(EnqueueGroup.of(List.of(EnqueueGroup.Entry.of(job, new byte[bytes]))));
    }

    @Test
    void all_waiting_requests_fail_when_the_connection_breaks() {
        add(1);
        add(1);
        List<CompletableFuture<List<Enqueued>>> waiting = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            // Too large to share a call.
            waiting.add(add(130 << 10));
        }
        broken = true;
        inFlight.remove().completeExceptionally(new IllegalStateException("broke"));
        assertThat(waiting).allMatch(CompletableFuture::isCompletedExceptionally);
    }

    @Test
    void thirty_thousand_waiting_requests_complete_when_no_call_can_be_sent() {
        add(1);
        List<CompletableFuture<List<Enqueued>>> waiting = new ArrayList<>();
        for (int i = 0; i < 30_000; i++) {
            // Priorities alternate, so no two neighbours can share a call.
            waiting.add(add(NewJob.of("any").priority(i % 2 == 0 ? Priority.HIGH : Priority.LOW), 1));
        }
        broken = true;
        inFlight.remove().completeExceptionally(new IllegalStateException("broke"));
        assertThat(waiting).allMatch(CompletableFuture::isCompletedExceptionally);
        broken = false;
        add(1);
        assertThat(inFlight).hasSize(1);
    }

    @Test
    void a_cancelled_request_is_never_sent_and_one_in_flight_can_not_be_cancelled() {
        CompletableFuture<List<Enqueued>> sent = add(1);
        CompletableFuture<List<Enqueued>> first = add(1);
        CompletableFuture<Integer> second = add(1).thenApply(List::size);
        assertThat(QueuedCall.cancelUnsent(sent)).isFalse();
        assertThat(QueuedCall.cancelUnsent(first)).isTrue();
        assertThat(QueuedCall.cancelUnsent(second)).isTrue();
        assertThat(QueuedCall.cancelUnsent(second)).isTrue();
        assertThat(second).isCompletedExceptionally();
        inFlight.remove().completeExceptionally(new IllegalStateException("broke"));
        assertThat(inFlight).isEmpty();
        add(1);
        assertThat(inFlight).hasSize(1);
    }

    /** The engine adds the stack of each blocked caller to the exception that this caller gets. */
    @Test
    void each_caller_of_a_batch_gets_an_exception_of_its_own() {
        add(1);
        List<CompletableFuture<List<Enqueued>>> batch = List.of(add(1), add(1), add(1));
        inFlight.remove().completeExceptionally(new IllegalStateException("broke"));
        inFlight.remove().completeExceptionally(new IllegalStateException("closed", new IOException("below")));
        List<Throwable> failures = batch.stream()
                .map(one -> one.handle((done, failure) -> failure).join())
                .toList();
        assertThat(failures).doesNotHaveDuplicates().allSatisfy(failure -> assertThat(failure)
                .isExactlyInstanceOf(IllegalStateException.class)
                .hasMessage("closed")
                .hasRootCauseMessage("below"));
    }

    @Test
    void a_call_that_throws_does_not_block_later_requests() {
        callsToFail = 5;
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(() -> add(1).join()).hasRootCauseMessage("as a test");
        }
        add(1);
        assertThat(inFlight).hasSize(1);
    }
}
