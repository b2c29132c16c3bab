package io.headgate.redis.limits.internal.denials;

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

/** The first invalidation is sent immediately, and later ones in batches after a pause: few messages of a bounded size. */
class InvalidationSenderTest {

    private final List<String> published = new ArrayList<>();
    private final List<Duration> pauses = new ArrayList<>();
    private final Deque<Runnable> later = new ArrayDeque<>();
    private CompletableFuture<Boolean> answer = CompletableFuture.completedFuture(true);

    private final InvalidationSender sender = new InvalidationSender(
            "me",
            message -> {
                published.add(message);
                return answer;
            },
            (task, pause) -> {
                later.add(task);
                pauses.add(pause);
            });

    private void addRefund(String id, long permits) {
        sender.add(new Invalidation.OfIds("stem", List.of(id), permits));
    }

    private void runNextTask() {
        Objects.requireNonNull(later.poll()).run();
    }

    private List<Invalidation> decoded(int message) {
        return InvalidationCodec.decode(published.get(message), "you");
    }

    @Test
    void the_first_is_sent_immediately_and_those_of_the_next_pause_in_one_message() {
        addRefund("a", 1);
        assertThat(published).hasSize(1);
        addRefund("b", 1);
        sender.add(new Invalidation.OfRule("stem"));
        addRefund("b", 2);
        assertThat(published).hasSize(1);
        runNextTask();
        assertThat(published).hasSize(2);
        assertThat(decoded(1))
                .containsExactly(new Invalidation.OfIds("stem", List.of("b"), 3), new Invalidation.OfRule("stem"));
        runNextTask();
        assertThat(published).hasSize(2);
        assertThat(later).isEmpty();
        addRefund("c", 1);
        assertThat(published).hasSize(3);
        assertThat(pauses)
                .containsExactly(InvalidationSender.PAUSE, InvalidationSender.PAUSE, InvalidationSender.PAUSE);
    }

    @Test
    void invalidations_during_a_message_are_merged_into_the_next_one_without_overflow() {
        answer = new CompletableFuture<>();
        addRefund("a", 1);
        addRefund("b", Long.MAX_VALUE);
        addRefund("b", 1);
        assertThat(published).hasSize(1);
        assertThat(later).isEmpty();
        answer.complete(true);
        runNextTask();
        assertThat(decoded(1)).containsExactly(new Invalidation.OfIds("stem", List.of("b"), Long.MAX_VALUE));
    }

    @Test
    void the_pause_is_longer_without_another_subscriber_and_longest_after_a_failure() {
        answer = CompletableFuture.completedFuture(false);
        addRefund("a", 1);
        answer = CompletableFuture.failedFuture(new IllegalStateException());
        addRefund("b", 1);
        runNextTask();
        assertThat(pauses).containsExactly(InvalidationSender.PAUSE_WITHOUT_RECEIVER, InvalidationSender.PAUSE_FAILED);
    }

    @Test
    void invalidations_beyond_the_buffer_are_dropped() {
        for (int i = 0; i < 10 * InvalidationSender.MAX_PENDING; i++) {
            addRefund("id" + i, 1);
        }
        int sent = 0;
        while (!later.isEmpty()) {
            runNextTask();
        }
        for (int i = 0; i < published.size(); i++) {
            sent += decoded(i).size();
        }
        assertThat(sent).isEqualTo(1 + InvalidationSender.MAX_PENDING);
    }

    @Test
    void closing_sends_the_pending_invalidations_and_none_after_them() {
        addRefund("a", 1);
        for (int i = 0; i < 500; i++) {
            addRefund("id" + i, 1);
        }
        CompletableFuture<Boolean> last = new CompletableFuture<>();
        answer = last;
        CompletableFuture<?> closing = sender.close();
        assertThat(published).hasSize(2);
        assertThat(closing).isNotDone();
        answer = CompletableFuture.completedFuture(true);
        last.complete(true);
        assertThat(closing).isCompleted();
        int sent = 0;
        for (int i = 0; i < published.size(); i++) {
            sent += decoded(i).size();
        }
        assertThat(sent).isEqualTo(501);
        int all = published.size();
        runNextTask();
        addRefund("c", 1);
        assertThat(sender.close()).isCompleted();
        assertThat(published).hasSize(all);
        assertThat(later).isEmpty();
    }

    @Test
    void closing_sends_one_message_even_without_receivers_or_if_it_fails() {
        for (int i = 0; i < 500; i++) {
            addRefund("id" + i, 1);
        }
        answer = CompletableFuture.completedFuture(false);
        assertThat(sender.close()).isCompleted();
        assertThat(published).hasSize(2);
        answer = CompletableFuture.failedFuture(new IllegalStateException());
        assertThat(sender.close()).isCompletedExceptionally();
        assertThat(published).hasSize(3);
    }

    @Test
    void exceptions_of_publisher_and_scheduler_do_not_escape_and_without_a_schedule_the_next_invalidation_is_sent() {
        AtomicBoolean refuses = new AtomicBoolean(true);
        InvalidationSender refused = new InvalidationSender(
                "me",
                message -> {
                    published.add(message);
                    throw new RejectedExecutionException("closed");
                },
                (task, pause) -> {
                    if (refuses.get()) {
                        throw new RejectedExecutionException("closed");
                    }
                    later.add(task);
                });
        refused.add(new Invalidation.OfRule("a"));
        refused.add(new Invalidation.OfRule("b"));
        assertThat(published).hasSize(2);
        refuses.set(false);
        refused.add(new Invalidation.OfRule("c"));
        refused.add(new Invalidation.OfRule("d"));
        assertThat(published).hasSize(3);
        assertThat(later).hasSize(1);
        assertThat(refused.close()).isCompletedExceptionally();
    }
}
