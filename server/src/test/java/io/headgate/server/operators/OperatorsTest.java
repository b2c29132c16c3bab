package io.headgate.server.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The text of a file of operators. */
class OperatorsTest {

    private static String entry(String name, String role, String token) {
        return "  - {name: " + name + ", role: " + role + ", sha256: "
                + TokenHash.of(token).hex() + "}\n";
    }

    @Test
    void an_operator_may_have_several_tokens_or_none() {
        Operators operators = Operators.parse("operators:\n" + entry("ada", "operate", "first-token")
                + entry("ada", "operate", "second-token") + "  - {name: bob, role: view}\n");
        assertThat(operators.withToken("first-token")).isEqualTo(operators.named("ada"));
        assertThat(operators.withToken("second-token")).isEqualTo(operators.named("ada"));
        assertThat(operators.withToken("third-token")).isEmpty();
        assertThat(operators.named("ada").orElseThrow().role()).isEqualTo(Role.OPERATE);
        assertThat(operators.named("bob").orElseThrow().role()).isEqualTo(Role.VIEW);
        assertThat(operators.named("eve")).isEmpty();
    }

    @Test
    void an_empty_list_has_no_operators() {
        assertThat(Operators.parse("operators: []").size()).isZero();
    }

    @Test
    void names_and_hashes_of_digits_are_strings() {
        String digits = "1234567890".repeat(7).substring(0, 64);
        Operators operators = Operators.parse("operators: [{name: 007, role: view, sha256: " + digits + "}]");
        assertThat(operators.named("007")).isPresent();
    }

    @Test
    void each_role_includes_the_ones_before_it() {
        assertThat(Role.ADMIN.includes(Role.VIEW)).isTrue();
        assertThat(Role.OPERATE.includes(Role.OPERATE)).isTrue();
        assertThat(Role.OPERATE.includes(Role.ADMIN)).isFalse();
        assertThat(Role.VIEW.includes(Role.OPERATE)).isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            ``                                            | must have one key, operators, with a list such as - {name: ada, role: operate, sha256: …}
            operators: {ada: view}                        | must have one key, operators, with a list
            users: []                                     | must have one key, operators, with a list
            operators: [ada]                              | operators[0] must be a mapping with name, role, sha256
            operators: [{role: view}]                     | operators[0].name is missing
            operators: [{name: a b, role: view}]          | operators[0].name must be 1 to 64 letters, digits and the characters . _ @ -, was "a b"
            operators: [{name: ada}]                      | operators[0].role is missing
            operators: [{name: ada, role: root}]          | operators[0].role must be view, operate or admin, was "root"
            operators: [{name: ada, role: [view]}]        | operators[0].role must be a string
            operators: [{name: ada, role: view, key: 1}]  | operators[0] has an unknown key; allowed are name, role, sha256
            operators: [{name: ada, role: view}, {name: ada, role: admin}] | operators[1] gives ada the role admin, an earlier entry the role view
            operators: [                                  | is not valid YAML
            """)
    void an_invalid_text_is_an_error_that_states_what_is_allowed(String yaml, String problem) {
        assertThatThrownBy(() -> Operators.parse(yaml))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(problem);
    }

    @Test
    void a_token_in_place_of_its_hash_is_an_error_that_does_not_repeat_it() {
        assertThatThrownBy(() -> Operators.parse("operators: [{name: ada, role: view, sha256: the-token-itself}]"))
                .hasMessageContaining("operators[0].sha256 must be the SHA-256 of a token, 64 hexadecimal digits")
                .hasMessageNotContaining("the-token-itself");
        assertThatThrownBy(() -> Operators.parse("operators: [{name: ada, role: view, sha256: the-token-itself"))
                .hasMessageContaining("is not valid YAML")
                .hasMessageNotContaining("the-token-itself");
    }

    @Test
    void two_operators_with_one_token_are_an_error() {
        String text = "operators:\n" + entry("ada", "view", "a-token") + entry("bob", "admin", "a-token");
        assertThatThrownBy(() -> Operators.parse(text))
                .hasMessage("operators[1].sha256 is that of an earlier entry; each token occurs once");
    }
}
