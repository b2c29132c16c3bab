package io.headgate.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.LimitEngine.Load;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** The load of an engine in memory. */
class EngineLoadTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration LONG = Duration.ofMinutes(1);

    private final InMemoryLimitEngine engine = InMemoryLimitEngine.create();

    @Test
    void waiting_requests_and_held_permits_count_until_they_end() {
        try (engine) {
            Limiter limiter = engine.limiter("api", Limit.slidingWindow(1, HOUR));
            InFlightLimiter exports = engine.inFlight("exports", 3);
            assertThat(engine.load()).isEqualTo(new Load(0, 0, 0, 0));

            limiter.tryAcquire("alice");
            CompletableFuture<Decision> waiting = limiter.async()
                    .acquire(PermitRequest.of("alice"), HOUR.multipliedBy(2))
                    .toCompletableFuture();
            Hold hold = exports.tryAcquire(PermitRequest.of("alice").withPermits(3));
            CompletableFuture<Hold> waitingForHold =
                    exports.async().acquire(PermitRequest.of("alice"), HOUR).toCompletableFuture();
            awaitLoad(new Load(2, 3, 0, 0));

            hold.release();
            hold.release();
            assertThat(waitingForHold.join().allowed()).isTrue();
            waiting.cancel(true);
            awaitLoad(new Load(0, 1, 0, 0));
        }
        awaitLoad(new Load(0, 0, 0, 0));
    }

    @Test
    void holds_with_tickets_do_not_count() {
        try (engine) {
            Hold hold = engine.inFlight("exports", 3)
                    .async()
                    .tickets()
                    .tryAcquire("alice", Duration.ofSeconds(30))
                    .toCompletableFuture()
                    .join();
            assertThat(hold.ticket()).isPresent();
            awaitLoad(new Load(0, 0, 0, 0));
        }
    }

    /** The counts of waiting requests fall on other threads. */
    private void awaitLoad(Load load) {
        long startNanos = System.nanoTime();
        while (!engine.load().equals(load) && System.nanoTime() - startNanos < LONG.toNanos()) {
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(engine.load()).isEqualTo(load);
    }
}
