package io.headgate.spring.outgoing;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryAfterTest {

    private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-11-25T10:00:00Z"), ZoneOffset.UTC);

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            1                              | PT1S
            ' 120 '                        | PT2M
            Wed, 25 Nov 2026 10:00:30 GMT  | PT30S
            99999999999999999999           | PT596523H14M7S
            """)
    void seconds_and_dates_are_read(String field, Duration wait) {
        assertThat(RetryAfter.parse(field, CLOCK)).contains(wait);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "-1", "1.5", "soon", "Wed, 25 Nov 2026 09:59:59 GMT", "2026-11-25T10:00:30Z"})
    void other_values_and_times_that_are_over_are_ignored(String field) {
        assertThat(RetryAfter.parse(field, CLOCK)).isEmpty();
    }

    @Test
    void a_response_may_have_no_field() {
        assertThat(RetryAfter.parse(null, CLOCK)).isEmpty();
    }
}
