package io.headgate.queues.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class WakeUpTimerTest {

    @Test
    void its_thread_is_no_daemon_even_if_a_daemon_thread_starts_it() {
        CompletableFuture<Thread> caller = new CompletableFuture<>();
        WakeUpTimer timer = new WakeUpTimer(() -> caller.complete(Thread.currentThread()));
        Thread starter = new Thread(() -> {
            timer.start();
            timer.setTo(0, 0);
        });
        starter.setDaemon(true);
        starter.start();
        assertThat(caller).succeedsWithin(Duration.ofSeconds(10)).matches(thread -> !thread.isDaemon());
        timer.stop();
    }
}
