package io.headgate.limits.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the scheduled tasks of a waiting request. */
@Timeout(60)
class WaitTest {

    private static final long SOON_NANOS = Duration.ofMillis(50).toNanos();
    private static final Duration WITHIN = Duration.ofSeconds(20);

    private final CompletableFuture<String> done = new CompletableFuture<>();
    private final AtomicBoolean otherRan = new AtomicBoolean();

    /** If a request arrives while the one before it leaves, its attempt may be scheduled before its deadline. */
    @Test
    void a_deadline_does_not_replace_an_earlier_task() {
        Wait wait = waitOf(Duration.ofHours(1));
        wait.runLater(() -> done.complete("attempt"), SOON_NANOS);
        wait.runAtDeadline(() -> otherRan.set(true));
        assertThat(done).succeedsWithin(WITHIN).isEqualTo("attempt");
        wait.cancel(true);
    }

    @Test
    void a_later_task_does_not_replace_the_deadline() {
        Wait wait = waitOf(Duration.ofNanos(SOON_NANOS));
        wait.runAtDeadline(() -> done.complete("deadline"));
        wait.runLater(() -> otherRan.set(true), Duration.ofHours(1).toNanos());
        assertThat(done).succeedsWithin(WITHIN).isEqualTo("deadline");
        wait.cancel(true);
        assertThat(otherRan).isFalse();
    }

    @Test
    void a_task_replaces_the_one_before_and_none_runs_after_the_end_of_the_wait() throws Exception {
        Wait wait = waitOf(Duration.ofHours(1));
        CompletableFuture<Void> replaced = new CompletableFuture<>();
        Wait.TIMER.execute(replaced::join); // until then, the timer runs neither task
        wait.runLater(() -> otherRan.set(true), 0);
        wait.runLater(() -> done.complete("this"), 0);
        replaced.complete(null);
        assertThat(done).succeedsWithin(WITHIN).isEqualTo("this");
        wait.cancel(true);
        wait.runLater(() -> otherRan.set(true), 0);
        Wait.TIMER.submit(() -> {}).get();
        assertThat(otherRan).isFalse();
    }

    private static Wait waitOf(Duration longest) {
        return new Wait(Attributes.none(), 1, System.nanoTime() + longest.toNanos());
    }
}
