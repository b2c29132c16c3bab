package io.headgate.redis.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigDraftTest {

    private static ConfigDraft draft(Map<String, String> texts) {
        return new ConfigDraft(texts, "alice", "test");
    }

    @Test
    void the_digest_depends_on_texts_and_their_boundaries() {
        String digest = draft(Map.of("a", "bc")).digest();
        assertThat(digest).hasSize(12).isEqualTo(draft(Map.of("a", "bc")).digest());
        assertThat(draft(texts("b", "c")).digest()).isNotEqualTo(digest);
        assertThat(draft(Map.of("a", "bd")).digest()).isNotEqualTo(digest);
    }

    private static Map<String, String> texts(String first, String second) {
        Map<String, String> texts = new LinkedHashMap<>();
        texts.put("1", first);
        texts.put("2", second);
        return texts;
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  ", "two\nlines", "a bell \u0007"})
    void names_authors_and_reasons_are_one_line_of_text(String text) {
        assertThatThrownBy(() -> new ConfigDraft(Map.of("a", ""), text, "test"))
                .hasMessageStartingWith("by must have 1 to 128 characters");
        assertThatThrownBy(() -> new ConfigDraft(Map.of("a", ""), "alice", text))
                .hasMessageStartingWith("reason must have 1 to 1000 characters");
        assertThatThrownBy(() -> new ConfigDraft(Map.of(text, ""), "alice", "test"))
                .hasMessageStartingWith("name of a text must have 1 to 255 characters");
    }

    @Test
    void texts_are_bounded_in_number_and_size() {
        assertThatThrownBy(() -> draft(Map.of())).hasMessage("texts must have 1 to 1000 entries, has 0");
        Map<String, String> many = new LinkedHashMap<>();
        for (int i = 0; i <= 1000; i++) {
            many.put("text " + i, "");
        }
        assertThatThrownBy(() -> draft(many)).hasMessage("texts must have 1 to 1000 entries, has 1001");
        String half = "é".repeat(4 << 20);
        assertThat(draft(Map.of("a", half, "b", half)).bytes()).isEqualTo(16 << 20);
        assertThatThrownBy(() -> draft(Map.of("a", half, "b", half + "x")))
                .hasMessage("texts must have at most 16777216 bytes in UTF-8 together, have 16777217");
    }
}
