package io.headgate.queues.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class QuotedTest {

    @Test
    void a_value_cannot_look_like_the_text_around_it() {
        assertThat(Quoted.of("a\", was \"b\\")).isEqualTo("\"a\\\", was \\\"b\\\\\"");
        assertThat(Quoted.of("a\n\u202e\u2028\ud800")).isEqualTo("\"a\\u000a\\u202e\\u2028\\ud800\"");
        assertThat(Quoted.of("\ud83d\ude00".repeat(81)))
                .isEqualTo("\"" + "\ud83d\ude00".repeat(80) + "\" (81 characters)");
    }
}
