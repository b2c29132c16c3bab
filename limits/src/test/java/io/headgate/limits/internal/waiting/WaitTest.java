package io.headgate.limits.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A waiting request performs its next action, once. */
@Timeout(60)
class WaitTest {

    private static final long SOON_NANOS = Duration.ofMillis(50).toNanos();
    private static final Duration WITHIN = Duration.ofSeconds(20);

    private final CompletableFuture<String> done = new CompletableFuture<>();
    private final AtomicBoolean more = new AtomicBoolean();

    /** The turn of one who comes as the one before leaves may come before its deadline is set. */
    @Test
    void a_deadline_does_not_replace_an_earlier_action() {
        Wait wait = waitOf(Duration.ofHours(1));
        wait.runLater(() -> done.complete("asked"), SOON_NANOS);
        wait.runAtDeadline(() -> more.set(true));
        assertThat(done).succeedsWithin(WITHIN).isEqualTo("asked");
        wait.cancel(true);
    }

    @Test
    void a_later_action_does_not_replace_the_deadline() {
        Wait wait = waitOf(Duration.ofNanos(SOON_NANOS));
        wait.runAtDeadline(() -> done.complete("gave up"));
        wait.runLater(() -> more.set(true), Duration.ofHours(1).toNanos());
        assertThat(done).succeedsWithin(WITHIN).isEqualTo("gave up");
        wait.cancel(true);
        assertThat(more).isFalse();
    }

    @Test
    void one_thing_is_done_instead_of_another_and_nothing_when_it_is_over() throws Exception {
        Wait wait = waitOf(Duration.ofHours(1));
        wait.runLater(() -> more.set(true), Duration.ofHours(1).toNanos());
        wait.runLater(() -> done.complete("this"), 0);
        assertThat(done).succeedsWithin(WITHIN).isEqualTo("this");
        wait.cancel(true);
        wait.runLater(() -> more.set(true), 0);
        Wait.TIMER.submit(() -> {}).get();
        assertThat(more).isFalse();
    }

    private static Wait waitOf(Duration longest) {
        return new Wait(Attributes.none(), 1, System.nanoTime() + longest.toNanos());
    }
}
