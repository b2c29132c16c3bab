package io.headgate.server.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LatenciesTest {

    private final Latencies latencies = new Latencies();

    @Test
    void without_durations_every_percentile_is_zero() {
        assertThat(latencies.percentile(99)).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 31, 32, 33, 1000, 123_456, 7_000_000, 999_999_999_999L, Long.MAX_VALUE / 2})
    void a_percentile_is_never_too_low_and_at_most_4_percent_too_high(long nanos) {
        latencies.add(Duration.ofNanos(nanos));

        assertThat(latencies.percentile(50).toNanos()).isBetween(nanos, nanos + nanos / 25);
    }

    @Test
    void percentiles_are_those_of_the_sorted_durations() {
        for (int micros = 1; micros <= 1000; micros++) {
            latencies.add(Duration.ofNanos(micros * 1000L));
        }

        assertThat(latencies.percentile(50).toNanos()).isBetween(500_000L, 520_000L);
        assertThat(latencies.percentile(99).toNanos()).isBetween(990_000L, 1_029_600L);
        assertThat(latencies.percentile(100).toNanos()).isBetween(1_000_000L, 1_040_000L);
        assertThat(latencies.percentile(0).toNanos()).isBetween(1000L, 1040L);
    }

    @Test
    void a_negative_duration_counts_as_zero() {
        latencies.add(Duration.ofNanos(-5));

        assertThat(latencies.percentile(50)).isZero();
    }
}
