package io.headgate.redis.limits.internal.planner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyTextTest {

    @ParameterizedTest
    @CsvSource({
        "alice, alice",
        "alice@example.org, alice@example.org",
        "2001:db8::1, 2001:db8::1",
        "/v1/pay?x=1, /v1/pay?x=1",
        "'a b', a%20b",
        "'a,b', 'a%2Cb'",
        "{slot}, %7Bslot%7D",
        "100%, 100%25",
        "~, %7E",
        "müller, m%C3%BCller",
        "😀, %F0%9F%98%80",
    })
    void an_id_stays_readable_and_ambiguous_characters_are_encoded(String id, String text) {
        assertThat(KeyText.of(id)).isEqualTo(text);
    }

    @Test
    void ids_that_differ_never_share_a_key() {
        List<String> hostile = List.of(
                "",
                " ",
                "\0",
                "\n",
                "\r\n",
                "%00",
                "%",
                "%25",
                "a,b",
                "a%2Cb",
                "~",
                "\ud800",
                "\udc00",
                "\ud800\udc00",
                "%ud800",
                "\ufffd",
                "?",
                "x".repeat(128),
                "x".repeat(129),
                "x".repeat(1_000_000),
                "y".repeat(1_000_000),
                "\ud800".repeat(200),
                "\udc00".repeat(200),
                "\n".repeat(43),
                "\n".repeat(44));
        Set<String> texts = new HashSet<>();
        for (String id : hostile) {
            String text = KeyText.of(id);
            assertThat(text.length()).isLessThanOrEqualTo(KeyText.MAX_LENGTH);
            assertThat(text).matches("[\\x21-\\x7e]*").doesNotContain("{", "}", ",");
            assertThat(texts.add(text)).as(text).isTrue();
        }
    }
}
