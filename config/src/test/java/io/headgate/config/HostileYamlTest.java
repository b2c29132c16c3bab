package io.headgate.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.internal.yaml.SourceText;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests texts that are not YAML, or that use features of YAML that a policy file does not need. */
class HostileYamlTest {

    static Stream<Arguments> texts() {
        return Stream.of(
                Arguments.of("", "1:1: is empty; it must begin with policies:"),
                Arguments.of(" \n\n", "1:1: is empty; it must begin with policies:"),
                Arguments.of("# only words\n", "1:1: is empty; it must begin with policies:"),
                Arguments.of("---\n", "2:1: must be a mapping with policies, was empty"),
                Arguments.of("---\n~\n", "2:1: must be a mapping with policies, was empty"),
                Arguments.of(
                        "policies:\n  a:\n\trules:",
                        "3:1: policies.a: is not YAML: a tab can't begin anything here;" + " indent with spaces"),
                Arguments.of(
                        "policies: @x",
                        "1:11: policies: is not YAML: '@' can't begin a value; put the value in quotes"),
                Arguments.of("policies: a: b", "1:12: is not YAML: a key can't begin here; check the indentation"),
                Arguments.of(
                        "policies: [1,\n2",
                        "2:2: policies: is not YAML: expected ',' or ']', but got <stream end>"
                                + " (while parsing a flow sequence that begins at 1:11)"),
                Arguments.of(
                        "policies: \"a",
                        "1:13: policies: is not YAML: the quote is not closed"
                                + " (while scanning a quoted scalar that begins at 1:11)"),
                Arguments.of(
                        "policies: \"\\UFFFFFFFF\"",
                        "1:1: policies: what follows is not YAML: For input string:" + " \"FFFFFFFF\" under radix 16"),
                Arguments.of(
                        "policies:\n  a: {}\n b: {}",
                        "3:2: is not YAML: this does not continue what is above;"
                                + " check the indentation (while parsing a block mapping that begins at 1:1)"),
                Arguments.of(
                        "policies:\n  a: {}\n   b: {}",
                        "3:4: policies: is not YAML: this does not continue what is above; check the indentation (while parsing a block mapping that begins at 2:3)"),
                Arguments.of("%YAML 2.0\n---\npolicies: {}", "1:1: is YAML 2.0, must be 1.2"),
                Arguments.of("a\u0000b", "1:2: the character U+0000 is not allowed"),
                Arguments.of("# é\n  \u0007", "2:3: the character U+0007 is not allowed"),
                Arguments.of(
                        "# \ud83d\ude00\r\n\r\n\r# \ud83d\ude00\ud800", "4:4: the character U+D800 is not allowed"));
    }

    @ParameterizedTest
    @MethodSource("texts")
    void the_error_for_invalid_yaml_has_the_position_of_the_error(String yaml, String error) {
        assertThat(Refusal.of(yaml)).isEqualTo("p.yaml:" + error);
    }

    @Test
    void a_second_document_is_rejected() {
        String one = "policies: { a: { rules: { r: { fixed-window: { permits: 1, window: 1s } } } } }\n";
        assertThat(PolicyFile.parse("%YAML 1.2\n---\n" + one + "...\n", "p.yaml")
                        .names())
                .containsExactly("a");
        assertThat(Refusal.of(one + "---\n" + one)).isEqualTo("p.yaml:2:1: begins a second document; a file holds one");
        assertThat(Refusal.of(one + "---")).isEqualTo("p.yaml:2:1: begins a second document; a file holds one");
    }

    @Test
    void anchors_aliases_and_merge_keys_are_rejected() {
        assertThat(Refusal.of("""
                        policies:
                          a: &a
                            rules:
                              r: { fixed-window: &w { permits: 1, window: 1s } }
                              s: { fixed-window: *w }
                              t: { fixed-window: { <<: *w, permits: 2, window: 1s } }
                          b: *a
                        """)).isEqualTo("""
                        p.yaml:2:6: policies.a: anchors such as &a are not allowed; write each value where it belongs
                        p.yaml:4:26: policies.a.rules.r.fixed-window: anchors such as &w are not allowed; write each value where it belongs
                        p.yaml:5:26: policies.a.rules.s.fixed-window: aliases such as *w are not allowed; write the value here
                        p.yaml:6:28: policies.a.rules.t.fixed-window."<<": merge keys are not allowed; write the values here
                        p.yaml:6:32: policies.a.rules.t.fixed-window."<<": aliases such as *w are not allowed; write the value here
                        p.yaml:7:6: policies.b: aliases such as *a are not allowed; write the value here""");
    }

    @Test
    void a_merge_key_is_rejected_at_any_depth() {
        assertThat(Refusal.of("""
                        policies:
                          <<: { a: {} }
                          b:
                            <<: {}
                            rules:
                              <<: [{}, {}]
                              r: { fixed-window: { permits: 1, window: 1s } }
                        <<: {}
                        """)).isEqualTo("""
                        p.yaml:2:3: policies."<<": merge keys are not allowed; write the values here
                        p.yaml:4:5: policies.b."<<": merge keys are not allowed; write the values here
                        p.yaml:6:7: policies.b.rules."<<": merge keys are not allowed; write the values here
                        p.yaml:8:1: "<<": merge keys are not allowed; write the values here""");
    }

    @Test
    void aliases_that_would_expand_to_billions_are_rejected() {
        StringBuilder bomb = new StringBuilder("a: &a [x]\n");
        for (char c = 'b'; c <= 'z'; c++) {
            bomb.append(c).append(": &").append(c).append(" [");
            bomb.append(("*" + (char) (c - 1) + ", ").repeat(9)).append("]\n");
        }
        assertThat(Refusal.of(bomb.toString())).hasLineCount(21).contains("aliases such as *a are not allowed");
    }

    @Test
    void tags_are_rejected() {
        assertThat(Refusal.ofRule("!mine fixed-window: !!map { permits: !!int 1, window: ! 1s }"))
                .isEqualTo("""
                        2:3: r: tags such as !mine are not allowed; remove it
                        2:23: r.fixed-window: tags such as !!map are not allowed; remove it
                        2:40: r.fixed-window.permits: tags such as !!int are not allowed; remove it
                        2:57: r.fixed-window.window: tags such as ! are not allowed; remove it""");
    }

    @Test
    void keys_must_be_strings() {
        assertThat(Refusal.of("policies:\n  ? [a]\n  : b\n  { c: d }: e\n")).isEqualTo("""
                        p.yaml:1:1: policies: has no policies; it needs at least one
                        p.yaml:2:5: policies: a key must be a string
                        p.yaml:4:3: policies: a key must be a string""");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[", "{a: ", "- ", "? ", "[{a: ", "{? ", "[[],"})
    void deep_nesting_is_rejected_early(String opening) {
        String deep = opening.repeat(SourceText.MAX_BYTES / opening.length());
        assertThat(Refusal.of(deep))
                .contains(": is nested deeper than 16 levels")
                .hasLineCount(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"", "'x\n", "#", "&a ", "!", "*a ", "x ", "x\n", "- a\n", ",", "_000", "1", "|\n", "a: 1\n", "%", "&"
            })
    void a_text_of_the_maximum_size_that_repeats_one_piece_is_rejected(String thing) {
        String much = thing.repeat((SourceText.MAX_BYTES - 100) / thing.length());
        assertThat(Refusal.of(much)).startsWith("p.yaml:").hasSizeLessThan(5000);
        assertThat(Refusal.of("policies: " + much)).startsWith("p.yaml:").hasSizeLessThan(5000);
        assertThat(Refusal.of("policies: { a: { rules: { r: { fixed-window: { window: 1s, permits: \n" + much))
                .startsWith("p.yaml:")
                .hasSizeLessThan(8000);
    }

    @Test
    void an_error_shows_values_short_and_printable() {
        String value = "\"\\0\\e\\u202e" + "ab ".repeat(1000) + "\"";
        assertThat(Refusal.ofRule("fixed-window: { window: 1s, permits: " + value + " }"))
                .isEqualTo("2:40: r.fixed-window.permits: must be a whole number such as 100 or 10_000, was"
                        + " \"\\u0000\\u001b\\u202e" + "ab ".repeat(25) + "ab\" (3003 characters)");
    }

    @Test
    void the_list_of_problems_is_unmodifiable() {
        assertThatThrownBy(() -> PolicyFile.parse("", "p.yaml"))
                .isInstanceOfSatisfying(ConfigException.class, thrown -> assertThatThrownBy(
                                () -> thrown.problems().clear())
                        .isInstanceOf(UnsupportedOperationException.class));
    }
}
