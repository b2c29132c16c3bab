package io.headgate.config.sources;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.sources.PolicyDocument.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PolicyUpdateTest {

    private static final Text TEXT = new Text("api.yaml", "policies: {}");

    private static PolicyUpdate update(List<Text> texts, String by, String reason) {
        return new PolicyUpdate(texts, Optional.empty(), by, reason);
    }

    @Test
    void values_within_the_bounds_are_accepted() {
        List<Text> texts = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            texts.add(new Text(i + "x".repeat(200), ""));
        }
        assertThat(update(texts, "a".repeat(128), "r".repeat(1000)).texts()).hasSize(1000);
        assertThat(update(List.of(new Text("a", "y".repeat(16 << 20))), "alice", "test")
                        .texts())
                .hasSize(1);
    }

    @Test
    void a_wrong_number_or_size_of_texts_is_rejected() {
        assertThatThrownBy(() -> update(List.of(), "alice", "test"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("texts must have 1 to 1000 entries, has 0");
        List<Text> texts = new ArrayList<>();
        for (int i = 0; i <= 1000; i++) {
            texts.add(new Text("text " + i, ""));
        }
        assertThatThrownBy(() -> update(texts, "alice", "test"))
                .hasMessage("texts must have 1 to 1000 entries, has 1001");
        List<Text> large = List.of(new Text("a", "é".repeat(4 << 20)), new Text("b", "y".repeat((8 << 20) + 1)));
        assertThatThrownBy(() -> update(large, "alice", "test"))
                .hasMessage("texts must have at most 16777216 bytes in UTF-8 together, have 16777217");
    }

    @Test
    void texts_with_variables_and_includes_are_rejected() {
        for (String yaml :
                List.of("a: ${HOME}", "include: [a.yaml]", "a: \"$\\x7bHOME}\"", "\"inclu\\x64e\": [a.yaml]")) {
            assertThatThrownBy(() -> update(List.of(new Text("p.yaml", yaml)), "alice", "test"))
                    .as(yaml)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("p.yaml:1:")
                    .hasMessageContaining("are for local files only");
        }
        for (String yaml : List.of("a: $${HOME} # ${HOME}", "a: include", "policies: { include: 1 }", "\"${")) {
            assertThat(update(List.of(new Text("p.yaml", yaml)), "alice", "test")
                            .texts())
                    .hasSize(1);
        }
        assertThatThrownBy(() -> update(List.of(new Text("a", "", Optional.of("b"))), "alice", "test"))
                .hasMessageStartingWith("texts must not include each other, but a is included by b");
    }

    @Test
    void names_authors_and_reasons_are_single_lines_and_names_differ() {
        assertThatThrownBy(() -> update(List.of(TEXT, TEXT), "alice", "test"))
                .hasMessage("texts must have different names, but two are named api.yaml");
        assertThatThrownBy(() -> update(List.of(new Text("a\nb", "")), "alice", "test"))
                .hasMessageStartingWith("name of a text must have 1 to 255 characters");
        assertThatThrownBy(() -> update(List.of(TEXT), "a".repeat(129), "test"))
                .hasMessageStartingWith("by must have 1 to 128 characters")
                .hasMessageEndingWith("; has 129");
        assertThatThrownBy(() -> update(List.of(TEXT), "alice", " "))
                .hasMessageStartingWith("reason must have 1 to 1000 characters");
    }
}
