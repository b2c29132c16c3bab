package io.headgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class DurationOptionTest {

    private final DurationOption option = new DurationOption();

    @Test
    void a_number_with_a_unit_is_read() {
        assertThat(option.convert("0ms")).isZero();
        assertThat(option.convert("250ms")).isEqualTo(Duration.ofMillis(250));
        assertThat(option.convert("5s")).isEqualTo(Duration.ofSeconds(5));
        assertThat(option.convert("60m")).isEqualTo(Duration.ofHours(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5", "s", "-1s", "1.5s", "1h", "61m", "999999999m", "PT5S", "5 s"})
    void anything_else_is_rejected_with_an_example(String given) {
        assertThatThrownBy(() -> option.convert(given))
                .isInstanceOf(TypeConversionException.class)
                .hasMessage("\"" + given + "\" is not a time from 0ms to 60m such as 250ms, 5s or 2m");
    }
}
