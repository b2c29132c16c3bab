package io.headgate.limits.internal.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AdmissionLogTest {

    private static final long WINDOW = 1_000_000;
    private static final long LIMIT = 100_000;

    private final AdmissionLog log = new AdmissionLog();

    @Test
    void a_log_shrinks_when_all_entries_have_left_the_window() {
        int small = log.capacity();
        fill(0);
        assertThat(log.capacity()).isGreaterThanOrEqualTo((int) LIMIT);

        log.append(LIMIT + WINDOW, 1, WINDOW, LIMIT);

        assertThat(log.capacity()).isEqualTo(small);
        assertThat(log.sum() - log.sumUntil(LIMIT)).isEqualTo(1);
        assertThat(log.timeOfSum(log.sum())).isEqualTo(LIMIT + WINDOW);
    }

    @Test
    void a_log_with_an_entry_in_the_window_does_not_shrink() {
        fill(0);
        int capacity = log.capacity();
        log.append(LIMIT + WINDOW - 2, 1, WINDOW, LIMIT);
        assertThat(log.capacity()).isEqualTo(capacity);
        assertThat(log.sum() - log.sumUntil(LIMIT - 2)).isEqualTo(2);
    }

    @Test
    void a_log_that_shrank_grows_again() {
        fill(0);
        fill(LIMIT + WINDOW);
        long last = LIMIT + WINDOW + LIMIT - 1;
        assertThat(log.lastMicros()).isEqualTo(last);
        assertThat(log.sum()).isEqualTo(2 * LIMIT);
        for (long entry = 1; entry <= LIMIT; entry++) {
            assertThat(log.timeOfSum(LIMIT + entry)).isEqualTo(LIMIT + WINDOW + entry - 1);
        }
    }

    /** Appends one permit in each microsecond from a time on, as many as the limit. */
    private void fill(long fromMicros) {
        for (long i = 0; i < LIMIT; i++) {
            log.append(fromMicros + i, 1, WINDOW, LIMIT);
        }
    }
}
