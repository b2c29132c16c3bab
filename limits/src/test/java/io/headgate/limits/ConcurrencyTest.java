package io.headgate.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ConcurrencyTest {

    private static final int THREADS = 8;
    private static final int REQUESTS = 20_000;

    @Test
    void concurrent_threads_acquire_exactly_the_limit() {
        AtomicLong admitted = new AtomicLong();
        try (InMemoryLimitEngine limits =
                InMemoryLimitEngine.builder().time(() -> 1_800_000_000_000_000L).build()) {
            Limiter first = limits.limiter(policy("a", "b"));
            Limiter second = limits.limiter(policy("b", "a"));
            InThreads.run(THREADS, thread -> {
                Limiter limiter = thread % 2 == 0 ? first : second;
                for (int i = 0; i < REQUESTS; i++) {
                    if (limiter.tryAcquire(PermitRequest.global()).allowed()) {
                        admitted.incrementAndGet();
                    }
                }
            });
        }
        assertThat(admitted).hasValue(1000);
    }

    @Test
    void a_flood_of_keys_stays_within_the_maximum_number_of_keys() {
        AtomicLong clock = new AtomicLong(1_800_000_000_000_000L);
        try (InMemoryLimitEngine limits =
                InMemoryLimitEngine.builder().time(clock::get).maxKeys(1024).build()) {
            Limiter limiter = limits.limiter("flood", Limit.fixedWindow(1, Duration.ofMinutes(1)));
            InThreads.run(THREADS, thread -> {
                for (int i = 0; i < REQUESTS; i++) {
                    clock.addAndGet(10);
                    assertThat(limiter.tryAcquire(thread + ":" + i).allowed()).isTrue();
                }
            });
            assertThat(limits.keys()).isLessThanOrEqualTo(1024);
        }
    }

    private static Policy policy(String first, String second) {
        return Policy.named("both")
                .rule(first, Limit.slidingWindow(1000, Duration.ofMinutes(1)))
                .rule(second, Limit.slidingWindow(1000, Duration.ofMinutes(1)))
                .build();
    }
}
