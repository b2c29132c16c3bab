package io.headgate.redis.queues;

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

/** Calls that wait are made in their order, each once. */
class HeldCallsTest {

    private final HeldCalls held = new HeldCalls();
    private final List<String> made = new ArrayList<>();
    private int begun;

    @Test
    void they_are_made_in_their_order_and_later_ones_at_once() {
        CompletableFuture<String> first = make("first");
        make("second");
        assertThat(made).isEmpty();
        held.goOn();
        make("third");
        assertThat(made).containsExactly("first", "second", "third");
        assertThat(first).isCompletedWithValue("first");
        assertThat(begun).isEqualTo(1);
    }

    @Test
    void one_that_comes_while_the_last_is_being_made_does_not_overtake_it() {
        held.make(
                () -> {
                    make("meanwhile");
                    made.add("last");
                    return CompletableFuture.completedFuture("last");
                },
                () -> begun++);
        held.goOn();
        assertThat(made).containsExactly("last", "meanwhile");
        assertThat(begun).isEqualTo(1);
    }

    @Test
    void those_that_fail_are_not_made_and_who_comes_later_begins_anew() {
        CompletableFuture<String> failed = make("failed");
        held.fail(() -> new QueueException("open", "queue", "not today", false, null));
        assertThat(failed).isCompletedExceptionally();
        make("later");
        held.goOn();
        assertThat(made).containsExactly("later");
        assertThat(begun).isEqualTo(2);
    }

    @Test
    void one_that_comes_in_the_moment_in_which_they_go_on_is_passed_by_none() throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            for (int round = 0; round < 3000; round++) {
                HeldCalls calls = new HeldCalls();
                List<Integer> inOrder = Collections.synchronizedList(new ArrayList<>());
                List<CompletableFuture<?>> answers = new ArrayList<>();
                for (int i = 0; i < 100; i++) {
                    int number = i;
                    answers.add(calls.make(
                            () -> CompletableFuture.completedFuture(inOrder.add(number)),
                            () -> other.execute(calls::goOn)));
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
        return held.make(
                () -> {
                    made.add(name);
                    return CompletableFuture.completedFuture(name);
                },
                () -> begun++);
    }
}
