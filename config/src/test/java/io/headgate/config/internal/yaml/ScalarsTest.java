package io.headgate.config.internal.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the valid forms of values; {@code io.headgate.config.LimitErrorsTest} tests the errors for invalid ones. */
class ScalarsTest {

    @ParameterizedTest
    @CsvSource({
        "1500us, PT0.0015S",
        "250ms, PT0.25S",
        "30s, PT30S",
        "1m, PT1M",
        "090s, PT1M30S",
        "12h, PT12H",
        "7d, PT168H",
        "PT1M, PT1M",
        "pt1h30m, PT1H30M",
        "P1D, PT24H",
        "P1DT12H, PT36H",
        "PT0.5S, PT0.5S"
    })
    void a_duration_is_a_number_and_a_unit_or_iso_8601(String text, Duration duration) {
        assertThat(Scalars.duration(text)).contains(duration);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "7, 7", "100, 100", "-1, -1", "10_000, 10000", "1_000_000, 1000000", "1000_000, 1000000"})
    void a_number_is_digits_which_may_be_grouped_by_thousands(String text, long number) {
        assertThat(Scalars.number(text)).contains(number);
    }

    @ParameterizedTest
    @CsvSource({"1000 per 1s, 1000, PT1S", "1 per 90s, 1, PT1M30S", "10_000  per  PT1M, 10000, PT1M"})
    void a_rate_is_a_number_per_duration(String text, long permits, Duration period) {
        assertThat(Scalars.rate(text)).contains(new Scalars.Rate(permits, period));
    }

    @ParameterizedTest
    @CsvSource({"PT0.0015S, 1500us", "PT1M30S, 90s", "PT36H, 36h", "PT168H, 7d", "PT0.0000005S, PT0.0000005S"})
    void a_duration_is_written_in_the_largest_unit_that_divides_it(Duration duration, String text) {
        assertThat(Scalars.text(duration)).isEqualTo(text);
        assertThat(Scalars.duration(text)).contains(duration);
        assertThat(Scalars.rate(Scalars.text(7, duration))).contains(new Scalars.Rate(7, duration));
    }
}
