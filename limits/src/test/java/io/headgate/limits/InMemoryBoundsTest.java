package io.headgate.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Tests the bounds of the memory of an engine in memory. */
class InMemoryBoundsTest {

    private static final Limit ONE_A_MINUTE = Limit.slidingWindow(1, Duration.ofMinutes(1));

    private final InMemoryLimitEngine limits = InMemoryLimitEngine.builder()
            .time(() -> 1_800_000_000_000_000L)
            .maxKeys(1024)
            .build();

    @Test
    void a_long_id_is_counted_but_not_stored() {
        WeakReference<String> id = countedOnce(limits.limiter("long", ONE_A_MINUTE));
        for (int i = 0; i < 100 && id.get() != null; i++) {
            System.gc();
        }
        assertThat(id.get()).isNull();
    }

    private static WeakReference<String> countedOnce(Limiter limiter) {
        String id = "x".repeat(100_000);
        assertThat(limiter.tryAcquire(id).allowed()).isTrue();
        assertThat(limiter.tryAcquire(id).allowed()).isFalse();
        return new WeakReference<>(id);
    }

    @Test
    void a_flood_of_actions_stays_within_the_maximum_number_of_keys() {
        for (int i = 0; i < 200_000; i++) {
            limits.allow("alice", "action-" + i, 1, Duration.ofMinutes(1));
        }
        assertThat(limits.keys()).isLessThanOrEqualTo(1024);
    }

    @Test
    void a_closed_engine_has_no_counts_and_rejects_calls() {
        Limiter limiter = limits.limiter("closed", ONE_A_MINUTE);
        limiter.tryAcquire("alice");
        limiter.tryAcquire("alice"); // Now the limiter has cached the table of its counters.
        limits.close();
        limits.close();
        assertThat(limits.keys()).isZero();
        List<ThrowingCallable> calls = List.of(
                () -> limiter.tryAcquire("alice"),
                () -> limiter.peek("alice"),
                () -> limiter.reset("alice"),
                () -> limits.limiter("another", ONE_A_MINUTE),
                () -> limits.allow("alice", "another", 1, Duration.ofMinutes(1)));
        for (ThrowingCallable call : calls) {
            assertThatThrownBy(call)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("limits in memory are closed");
        }
    }
}
