package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.QueueException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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

    private CompletableFuture<String> make(String name) {
        return held.make(
                () -> {
                    made.add(name);
                    return CompletableFuture.completedFuture(name);
                },
                () -> begun++);
    }
}
