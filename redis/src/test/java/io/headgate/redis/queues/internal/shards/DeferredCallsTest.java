package io.headgate.redis.queues.internal.shards;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.QueueException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Deferred calls are made in their order, each once. */
class DeferredCallsTest {

    private final DeferredCalls deferred = new DeferredCalls();
    private final List<String> made = new ArrayList<>();
    /** How often a deferred call has started to open the queue. */
    private int opened;

    @Test
    void deferred_calls_are_made_in_order_and_later_calls_immediately() {
        CompletableFuture<String> first = make("first");
        make("second");
        assertThat(made).isEmpty();
        deferred.open();
        make("third");
        assertThat(made).containsExactly("first", "second", "third");
        assertThat(first).isCompletedWithValue("first");
        assertThat(opened).isEqualTo(1);
    }

    @Test
    void a_call_that_arrives_while_the_last_is_being_made_does_not_overtake_it() {
        deferred.call(
                () -> {
                    make("meanwhile");
                    made.add("last");
                    return CompletableFuture.completedFuture("last");
                },
                () -> opened++);
        deferred.open();
        assertThat(made).containsExactly("last", "meanwhile");
        assertThat(opened).isEqualTo(1);
    }

    @Test
    void failed_calls_are_not_made_and_later_calls_are_deferred_again() {
        CompletableFuture<String> failed = make("failed");
        deferred.fail(() -> new QueueException("open", "queue", "not today", false, null));
        assertThat(failed).isCompletedExceptionally();
        make("later");
        deferred.open();
        assertThat(made).containsExactly("later");
        assertThat(opened).isEqualTo(2);
    }

    @Test
    void calls_that_arrive_while_deferred_calls_are_made_keep_their_order() throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            for (int round = 0; round < 3000; round++) {
                DeferredCalls calls = new DeferredCalls();
                List<Integer> inOrder = Collections.synchronizedList(new ArrayList<>());
                List<CompletableFuture<?>> answers = new ArrayList<>();
                for (int i = 0; i < 100; i++) {
                    int number = i;
                    answers.add(calls.call(
                            () -> CompletableFuture.completedFuture(inOrder.add(number)),
                            () -> other.execute(calls::open)));
                }
                CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                        .get(30, TimeUnit.SECONDS);
                assertThat(inOrder).isSorted();
            }
        } finally {
            other.shutdownNow();
        }
    }

    private CompletableFuture<String> make(String name) {
        return deferred.call(
                () -> {
                    made.add(name);
                    return CompletableFuture.completedFuture(name);
                },
                () -> opened++);
    }
}
