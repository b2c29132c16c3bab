package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** What is given back goes a little at a time, all of it, up to a bound. */
class GiveBacksTest {

    private final GiveBacks giveBacks = new GiveBacks();
    private final Deque<CompletableFuture<Void>> underWay = new ArrayDeque<>();
    private int sent;

    private CompletableFuture<Void> send() {
        sent++;
        CompletableFuture<Void> answer = new CompletableFuture<>();
        underWay.add(answer);
        return answer;
    }

    private void answerOne() {
        Objects.requireNonNull(underWay.poll()).complete(null);
    }

    @Test
    void so_many_are_under_way_and_the_next_goes_when_one_is_answered() {
        for (int i = 0; i < 1000; i++) {
            giveBacks.add(this::send);
        }
        CompletableFuture<Void> none = giveBacks.none();
        for (int answered = 0; answered < 1000; answered++) {
            assertThat(underWay).hasSize(Math.min(GiveBacks.MOST_AT_ONCE, 1000 - answered));
            assertThat(none).isNotDone();
            answerOne();
        }
        assertThat(sent).isEqualTo(1000);
        assertThat(none).isCompleted();
        assertThat(giveBacks.none()).isCompleted();
    }

    /** As without a connection: they must not nest. */
    @Test
    void those_that_fail_at_once_end_one_after_the_other() {
        giveBacks.add(this::send);
        for (int i = 1; i < GiveBacks.MOST_AT_ONCE; i++) {
            giveBacks.add(this::send);
        }
        for (int i = 0; i < 50_000; i++) {
            giveBacks.add(() -> {
                sent++;
                return CompletableFuture.failedFuture(new IllegalStateException());
            });
        }
        answerOne();
        assertThat(sent).isEqualTo(GiveBacks.MOST_AT_ONCE + 50_000);
    }

    @Test
    void what_can_not_be_sent_escapes_to_nobody_and_holds_up_no_other() {
        for (int i = 0; i < 1000; i++) {
            giveBacks.add(() -> {
                throw new RejectedExecutionException("closed");
            });
            giveBacks.add(this::send);
        }
        CompletableFuture<Void> none = giveBacks.none();
        while (!underWay.isEmpty()) {
            answerOne();
        }
        assertThat(sent).isEqualTo(1000);
        assertThat(none).isCompleted();
    }

    @Test
    void what_there_is_no_room_for_is_left_out() {
        for (int i = 0; i < GiveBacks.MOST_WAITING + 1000; i++) {
            giveBacks.add(this::send);
        }
        CompletableFuture<Void> none = giveBacks.none();
        while (!underWay.isEmpty()) {
            answerOne();
        }
        assertThat(sent).isEqualTo(GiveBacks.MOST_WAITING);
        assertThat(none).isCompleted();
    }
}
