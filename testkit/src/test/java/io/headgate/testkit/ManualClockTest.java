package io.headgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ManualClockTest {

    private final ManualClock clock = ManualClock.at(Instant.parse("2025-01-01T00:00:00.000001Z"));

    @Test
    void a_clock_starts_at_the_given_instant_and_stands_still() {
        assertThat(clock.nowMicros()).isEqualTo(1_735_689_600_000_001L).isEqualTo(clock.nowMicros());
    }

    @Test
    void a_clock_advances_by_exactly_the_given_duration() {
        clock.advance(Duration.ofDays(30).plusNanos(1000));
        clock.advance(Duration.ZERO);

        assertThat(clock.nowMicros()).isEqualTo(1_735_689_600_000_001L + 30L * 86_400 * 1_000_000 + 1);
    }

    @Test
    void a_clock_can_be_set_back() {
        clock.setMicros(17);

        assertThat(clock.nowMicros()).isEqualTo(17);
    }

    @Test
    void concurrent_advances_all_take_effect() {
        clock.setMicros(0);

        IntStream.range(0, 10_000).parallel().forEach(i -> clock.advance(Duration.ofNanos(1000)));

        assertThat(clock.nowMicros()).isEqualTo(10_000);
    }

    @Test
    void an_advance_that_is_negative_or_finer_than_a_microsecond_is_rejected() {
        assertThatThrownBy(() -> clock.advance(Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("PT-0.001S")
                .hasMessageContaining("setMicros");
        assertThatThrownBy(() -> clock.advance(Duration.ofNanos(1500)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("whole microseconds");
    }
}
