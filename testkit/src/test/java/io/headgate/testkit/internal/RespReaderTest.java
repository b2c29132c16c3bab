package io.headgate.testkit.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RespReaderTest {

    @Test
    void every_kind_of_value_is_read() throws Exception {
        assertThat(read("+OK\r\n")).isEqualTo(bytes("OK"));
        assertThat(read(":-42\r\n")).isEqualTo(-42L);
        assertThat(read("$0\r\n\r\n")).isEqualTo(bytes(""));
        assertThat(read("$4\r\na\r\nb\r\n")).isEqualTo(bytes("a\r\nb"));
        assertThat(read("=5\r\ntxt:a\r\n")).isEqualTo(bytes("txt:a"));
        assertThat(read(",1.5\r\n")).isEqualTo(bytes("1.5"));
        assertThat(read("(12345678901234567890\r\n")).isEqualTo(bytes("12345678901234567890"));
        assertThat(read("#t\r\n")).isEqualTo(true);
        assertThat(read("#f\r\n")).isEqualTo(false);
        assertThat(read("-ERR no\r\n")).isEqualTo(new RespReader.Failure("ERR no"));
        assertThat(read("!6\r\nERR no\r\n")).isEqualTo(new RespReader.Failure("ERR no"));
    }

    @Test
    void every_kind_of_nil_is_null() throws Exception {
        assertThat(read("$-1\r\n")).isNull();
        assertThat(read("*-1\r\n")).isNull();
        assertThat(read("_\r\n")).isNull();
    }

    @Test
    void collections_are_lists() throws Exception {
        assertThat(read("*0\r\n")).isEqualTo(List.of());
        assertThat(read("*3\r\n:1\r\n_\r\n*1\r\n:2\r\n")).isEqualTo(Arrays.asList(1L, null, List.of(2L)));
        assertThat(read("~2\r\n:1\r\n:2\r\n")).isEqualTo(List.of(1L, 2L));
        assertThat(read("%2\r\n:1\r\n:2\r\n:3\r\n:4\r\n")).isEqualTo(List.of(1L, 2L, 3L, 4L));
        assertThat(read(">2\r\n:1\r\n:2\r\n")).isEqualTo(new RespReader.Push(List.of(1L, 2L)));
        assertThat(read("|1\r\n+ttl\r\n:9\r\n:1\r\n")).isEqualTo(1L);
    }

    @Test
    void commands_are_arrays_or_inline_lines() throws Exception {
        assertThat(reader("*2\r\n$3\r\nGET\r\n$1\r\nk\r\n").readCommand()).containsExactly(bytes("GET"), bytes("k"));
        assertThat(reader("GET  k\r\n").readCommand()).containsExactly(bytes("GET"), bytes("k"));
        assertThatThrownBy(() -> reader("*1\r\n:1\r\n").readCommand()).isInstanceOf(IOException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "+OK", "$4\r\nab", "*2\r\n:1\r\n"})
    void an_incomplete_value_is_reported_as_the_end_of_the_stream(String input) {
        assertThatThrownBy(() -> read(input)).isInstanceOf(EOFException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\u0016\u0003\u0001\r\n", ":one\r\n", "$x\r\n"})
    void another_protocol_is_reported(String input) {
        assertThatThrownBy(() -> read(input))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("not the Redis protocol");
    }

    private static @Nullable Object read(String input) throws IOException {
        return reader(input).read();
    }

    private static RespReader reader(String input) {
        return new RespReader(new ByteArrayInputStream(bytes(input)));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
