package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** News go out at once and alone, or joined after a pause: few, and bounded. */
class OutboxTest {

    private final List<String> published = new ArrayList<>();
    private final List<Duration> pauses = new ArrayList<>();
    private final Deque<Runnable> later = new ArrayDeque<>();
    private CompletableFuture<Boolean> answer = CompletableFuture.completedFuture(true);

    private final Outbox outbox = new Outbox(
            "me",
            notice -> {
                published.add(notice);
                return answer;
            },
            (going, after) -> {
                later.add(going);
                pauses.add(after);
            });

    private void freed(String id, long permits) {
        outbox.add(new News.Freed("stem", List.of(id), permits));
    }

    private void pass() {
        Objects.requireNonNull(later.poll()).run();
    }

    private List<News> read(int notice) {
        return NoticeText.read(published.get(notice), "you");
    }

    @Test
    void the_first_goes_at_once_and_those_that_come_soon_after_it_together() {
        freed("a", 1);
        assertThat(published).hasSize(1);
        freed("b", 1);
        outbox.add(new News.Changed("stem"));
        freed("b", 2);
        assertThat(published).hasSize(1);
        pass();
        assertThat(published).hasSize(2);
        assertThat(read(1)).containsExactly(new News.Freed("stem", List.of("b"), 3), new News.Changed("stem"));
        pass();
        assertThat(published).hasSize(2);
        assertThat(later).isEmpty();
        freed("c", Long.MAX_VALUE);
        assertThat(published).hasSize(3);
        assertThat(pauses).containsExactly(Outbox.PAUSE, Outbox.PAUSE, Outbox.PAUSE);
    }

    @Test
    void one_at_a_time_is_under_way() {
        answer = new CompletableFuture<>();
        freed("a", 1);
        freed("b", Long.MAX_VALUE);
        freed("b", 1);
        assertThat(published).hasSize(1);
        assertThat(later).isEmpty();
        answer.complete(true);
        pass();
        assertThat(read(1)).containsExactly(new News.Freed("stem", List.of("b"), Long.MAX_VALUE));
    }

    @Test
    void the_pause_is_longer_where_nobody_hears_and_longest_where_it_fails() {
        answer = CompletableFuture.completedFuture(false);
        freed("a", 1);
        answer = CompletableFuture.failedFuture(new IllegalStateException());
        freed("b", 1);
        pass();
        assertThat(pauses).containsExactly(Outbox.PAUSE_UNHEARD, Outbox.PAUSE_FAILED);
    }

    @Test
    void what_there_is_no_room_for_is_left_out() {
        for (int i = 0; i < 10 * Outbox.MOST_WAITING; i++) {
            freed("id" + i, 1);
        }
        int told = 0;
        while (!later.isEmpty()) {
            pass();
        }
        for (int i = 0; i < published.size(); i++) {
            told += read(i).size();
        }
        assertThat(told).isEqualTo(1 + Outbox.MOST_WAITING);
    }

    @Test
    void when_it_is_closed_it_tells_what_waits_and_nothing_more() {
        freed("a", 1);
        for (int i = 0; i < 500; i++) {
            freed("id" + i, 1);
        }
        CompletableFuture<Boolean> last = new CompletableFuture<>();
        answer = last;
        CompletableFuture<?> closing = outbox.close();
        assertThat(published).hasSize(2);
        assertThat(closing).isNotDone();
        answer = CompletableFuture.completedFuture(true);
        last.complete(true);
        assertThat(closing).isCompleted();
        int told = 0;
        for (int i = 0; i < published.size(); i++) {
            told += read(i).size();
        }
        assertThat(told).isEqualTo(501);
        int all = published.size();
        pass();
        freed("c", 1);
        assertThat(outbox.close()).isCompleted();
        assertThat(published).hasSize(all);
        assertThat(later).isEmpty();
    }

    @Test
    void when_it_is_closed_and_nobody_hears_or_it_fails_it_tells_no_more_than_once() {
        for (int i = 0; i < 500; i++) {
            freed("id" + i, 1);
        }
        answer = CompletableFuture.completedFuture(false);
        assertThat(outbox.close()).isCompleted();
        assertThat(published).hasSize(2);
        answer = CompletableFuture.failedFuture(new IllegalStateException());
        assertThat(outbox.close()).isCompletedExceptionally();
        assertThat(published).hasSize(3);
    }

    @Test
    void what_can_not_be_sent_or_put_off_escapes_to_nobody_and_is_tried_with_the_next() {
        AtomicBoolean refuses = new AtomicBoolean(true);
        Outbox refused = new Outbox(
                "me",
                notice -> {
                    published.add(notice);
                    throw new RejectedExecutionException("closed");
                },
                (going, after) -> {
                    if (refuses.get()) {
                        throw new RejectedExecutionException("closed");
                    }
                    later.add(going);
                });
        refused.add(new News.Changed("a"));
        refused.add(new News.Changed("b"));
        assertThat(published).hasSize(2);
        refuses.set(false);
        refused.add(new News.Changed("c"));
        refused.add(new News.Changed("d"));
        assertThat(published).hasSize(3);
        assertThat(later).hasSize(1);
        assertThat(refused.close()).isCompletedExceptionally();
    }
}
