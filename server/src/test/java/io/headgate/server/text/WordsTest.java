package io.headgate.server.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WordsTest {

    @ParameterizedTest
    @CsvSource({
        "0,               0 B",
        "999,             999 B",
        "1000,            1.0 KiB",
        "102_400,         100 KiB",
        // 999.4 and 999.5 KiB.
        "1_023_385,       999 KiB",
        "1_023_488,       1.0 MiB",
        "1_047_527_424,   999 MiB",
        "1_048_000_000,   999 MiB",
        "1_048_100_000,   1.0 GiB",
        "9223372036854775807, 8192 PiB",
    })
    void bytes_have_at_most_three_digits_before_the_point(String bytes, String text) {
        assertThat(Words.bytes(Long.parseLong(bytes.replace("_", "")))).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "999,        999 ms",
        "1000,       1.0 s",
        "4290,       4.2 s",
        "59_960,     59.9 s",
        "60_000,     1 min",
        "3_599_999,  59 min 59 s",
        "3_600_000,  1 h",
        "11_100_000, 3 h 5 min",
        "90_000_000, 1 d 1 h",
    })
    void a_duration_is_rounded_down_to_its_largest_units(String millis, String text) {
        assertThat(Words.span(Duration.ofMillis(Long.parseLong(millis.replace("_", "")))))
                .isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "0,                0",
        "99,               99",
        "-99,              -99",
        "1234567,          1 234 567",
        "-5000,            -5 000",
        "9007199254740993, 9 007 199 254 740 993",
    })
    void a_whole_number_is_exact_with_spaces_between_thousands(long number, String text) {
        assertThat(Words.number(number)).isEqualTo(text);
        assertThat(Words.whole(number)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "0,       0",
        "0.25,    0.3",
        "4.0,     4",
        "-4.2,    -4.2",
        "99.96,   100",
        "100.4,   100",
        "-5000.4, -5 000",
    })
    void a_number_has_a_decimal_only_below_100(double number, String text) {
        assertThat(Words.number(number)).isEqualTo(text);
    }
}
