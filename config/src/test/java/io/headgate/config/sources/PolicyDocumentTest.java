package io.headgate.config.sources;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.ConfigException;
import io.headgate.config.sources.PolicyDocument.Text;
import java.util.List;
import org.junit.jupiter.api.Test;

class PolicyDocumentTest {

    private static Text text(String file, String policy, String limit) {
        return new Text(file, "policies: { " + policy + ": { rules: { limit: { " + limit + " } } } }");
    }

    private static final String WINDOW = "sliding-window: { permits: 1, window: 1s }";

    @Test
    void the_policies_of_all_texts_are_one_set() {
        PolicyDocument document = new PolicyDocument(
                "1",
                List.of(
                        text("a.yaml", "api", WINDOW),
                        text("b.yaml", "login", WINDOW),
                        text("c.yaml", "exports", "in-flight: { permits: 1 }")));
        assertThat(document.policies().names()).containsExactly("api", "login");
        assertThat(document.policies().findInFlight("exports")).isPresent();
    }

    @Test
    void a_policy_in_two_texts_is_an_error_that_names_both() {
        PolicyDocument document =
                new PolicyDocument("1", List.of(text("a.yaml", "api", WINDOW), text("b.yaml", "api", WINDOW)));
        assertThatThrownBy(document::policies)
                .isInstanceOf(ConfigException.class)
                .hasMessage(
                        "b.yaml: policies.api: is also in a.yaml; a policy is defined once, so remove or rename one of them");
    }

    @Test
    void the_problems_of_all_texts_are_reported() {
        PolicyDocument document = new PolicyDocument(
                "1",
                List.of(
                        text("a.yaml", "api", "sliding-window: { permits: x, window: 1s }"),
                        text("b.yaml", "login", "sliding-windw: { permits: 1, window: 1s }")));
        assertThatThrownBy(document::policies)
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(
                        "a.yaml:1:65: policies.api.rules.limit.sliding-window.permits: must be a whole number")
                .hasMessageContaining(
                        "b.yaml:1:40: policies.login.rules.limit.sliding-windw: unknown key; did you mean sliding-window?");
    }

    @Test
    void a_document_without_texts_cannot_be_created() {
        assertThatThrownBy(() -> new PolicyDocument("1", List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("texts must have at least one element, but has none");
    }
}
