package io.headgate.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule.LimitOverride;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Variables in local files are replaced, and errors show the text before. */
class VariablesTest {

    private static final String SECRET = "hunter2secret";

    private static final Map<String, String> VALUES = Map.of(
            "PERMITS", "250",
            "WINDOW", "90s",
            "EMPTY", "",
            "SECRET", SECRET,
            "PIN", "987654321",
            "YAML", "1, window: 5m }",
            "_a1", "7");

    private static String limited(String limit) {
        return "policies:\n  api:\n    rules:\n      limit:\n        sliding-window:\n" + limit.indent(10);
    }

    private static Limit limit(String permits, String window) {
        String yaml = limited("permits: " + permits + "\nwindow: " + window);
        return PolicyFile.parse(yaml, "p.yaml", VALUES)
                .get("api")
                .rules()
                .get(0)
                .limit();
    }

    private static String refusal(String yaml) {
        ConfigException thrown =
                catchThrowableOfType(ConfigException.class, () -> PolicyFile.parse(yaml, "p.yaml", VALUES));
        assertThat(thrown).as("the refusal of\n%s", yaml).isNotNull();
        return String.valueOf(thrown.getMessage());
    }

    @ParameterizedTest(name = "{0}, {1}")
    @CsvSource(delimiter = '|', textBlock = """
            ${PERMITS}             | ${WINDOW}            | 250 | 90
            "${PERMITS}"           | '${WINDOW:-1s}'      | 250 | 90
            ${MISSING:-12}         | ${MISSING:-PT2S}     | 12  | 2
            ${EMPTY:-12}           | ${EMPTY}${_a1}s      | 12  | 7
            1${EMPTY:-}            | 1${_a1}s             | 1   | 17
            ${PERMITS}${_a1}       | ${MISSING:-}3s       | 2507 | 3
            """)
    void numbers_and_durations_may_come_from_variables(String permits, String window, long count, long seconds) {
        assertThat(limit(permits, window)).isEqualTo(Limit.slidingWindow(count, Duration.ofSeconds(seconds)));
    }

    @Test
    void rates_words_and_attributes_may_come_from_variables() {
        Policy policy = PolicyFile.parse("""
                        policies:
                          api:
                            colocate: ${MISSING:-policy}
                            rules:
                              limit:
                                token-bucket: { capacity: 5, refill: "${PERMITS} per ${WINDOW}" }
                                overrides:
                                  - when: { user: "${SECRET}", plan: "$${SECRET}" }
                                    token-bucket: { capacity: 6, refill: 1 per 1s }
                        """, "p.yaml", VALUES).get("api");
        assertThat(policy.rules().get(0).limit()).isEqualTo(Limit.tokenBucket(5, 250, Duration.ofSeconds(90)));
        assertThat(policy.overrides())
                .extracting(LimitOverride::when)
                .containsExactly(Map.of("user", SECRET, "plan", "${SECRET}"));
    }

    @Test
    void a_second_dollar_sign_makes_it_text_also_in_a_remote_document() {
        String yaml = "policies: { a: { rules: { r: { fixed-window: { permits: 1, window: 1m }, overrides: ["
                + "{ when: { a: '$${X}', b: 'x$$${', c: '$$x$' }, fixed-window: { permits: 2, window: 1m } }] } } } }";
        Map<String, String> expected = Map.of("a", "${X}", "b", "x$${", "c", "$$x$");
        for (Policies read : List.of(PolicyFile.parse(yaml, "p"), PolicyFile.parse(yaml, "p", VALUES))) {
            assertThat(read.get("a").overrides())
                    .extracting(LimitOverride::when)
                    .containsExactly(expected);
        }
    }

    @Test
    void a_variable_that_is_not_set_is_an_error_with_its_position_and_name() {
        assertThat(refusal(limited("permits: 1\nwindow: ${TYPO}")))
                .isEqualTo(
                        "p.yaml:7:19: policies.api.rules.limit.sliding-window.window: variable TYPO is not set, and has no "
                                + "default; set it in the environment of the process, or write ${TYPO:-default}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "${",
                "${}",
                "${A",
                "${1A}",
                "${A-B}",
                "${A:B}",
                "${A:-${B}}",
                "x${A B}",
                "${PERMITS}${",
                "${A:=b}",
                "${A:-{b}}"
            })
    void a_malformed_variable_is_an_error_that_shows_what_is_allowed(String value) {
        assertThat(refusal(limited("permits: '" + value + "'\nwindow: 1m")))
                .startsWith("p.yaml:6:20: policies.api.rules.limit.sliding-window.permits: has \"")
                .contains("must be ${NAME} or ${NAME:-default}, where NAME has 1 to 128 of A-Z a-z 0-9 _")
                .endsWith("write $${ for the text ${")
                .doesNotContain("\n");
    }

    @Test
    void an_error_shows_the_variable_and_not_its_value() {
        assertThat(refusal(limited("permits: ${SECRET}\nwindow: 1m")))
                .isEqualTo(
                        "p.yaml:6:20: policies.api.rules.limit.sliding-window.permits: must be a whole number such as 100 or "
                                + "10_000, was the value of \"${SECRET}\"");
        assertThat(refusal(limited("permits: ${PIN}\nwindow: ${MISSING:-0s}")))
                .isEqualTo(
                        "p.yaml:6:20: policies.api.rules.limit.sliding-window.permits: must be from 0 to 1000000, was the value of \"${PIN}\"\n"
                                + "p.yaml:7:19: policies.api.rules.limit.sliding-window.window: must be from 1 ms to 366 days, was the value of \"${MISSING:-0s}\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "fixed-window: { permits: '${V}', window: 1m }",
                "fixed-window: { permits: 1, window: '${V}' }",
                "fixed-window: { permits: 1, window: 1m, align: '${V}' }",
                "token-bucket: { capacity: 5, refill: '${V}' }",
                "token-bucket: { capacity: '${V}', refill: 1 per 366d }",
                "token-bucket: { capacity: 1000000000, refill: '1 per ${V}' }",
                "leaky-bucket: { capacity: 5, leak: 1 per 1s, mode: '${V}' }",
                "calendar-window: { permits: 1, per: '${V}', zone: UTC }",
                "calendar-window: { permits: 1, per: day, zone: '${V}' }",
                "by: '${V}', fixed-window: { permits: 1, window: 1m }",
                "by: [user, '${V}'], fixed-window: { permits: 1, window: 1m }",
                "shadow: '${V}', fixed-window: { permits: 1, window: 1m }",
                "sliding-window: '${V}'",
                "by: user, fixed-window: { permits: 1, window: 1d }, ban: { after: 2, within: 1s, for: '${V}' }",
                "by: user, fixed-window: { permits: 1, window: 1d }, ban: { after: '${V}', within: 1s, for: 2d }",
                "by: user, fixed-window: { permits: 1, window: 1d }, ban: { after: 2, within: 1s, for: 2d, doubling-up-to: '${V}' }",
                "leaky-bucket: { capacity: 1, leak: 1 per 1s }, overrides: ["
                        + "{ when: { a: '${V}' }, leaky-bucket: { capacity: 1, leak: 1 per 1s, mode: shaper } }]",
                "fixed-window: { permits: 1, window: 1m }, overrides: [{ when: { a: '${V}' }, fixed-window: { permits: '${V}', window: 1m } }]",
                "fixed-window: { permits: '${V}', window: '${V}' }, overrides: '${V}'"
            })
    void no_error_shows_a_value(String rule) {
        requireNoErrorShows("policies: { api: { rules: { limit: { " + rule + " } } } }");
    }

    /** The variable is in a value on which the limit of another value depends. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "lease: 40s, rules: { limit: { sliding-window: { permits: 5, window: '${V}' } } }",
                "lease: 40s, rules: { limit: { sliding-window: { permits: '${V}', window: 1s } } }",
                "lease: 40s, rules: { limit: { calendar-window: { permits: 1, per: day, zone: '${V}' } }"
                        + ", other: { sliding-window: { permits: 1, window: 1s } } }",
                "lease: '${V}', at-most: 1s, rules: { limit: { in-flight: { permits: 5 } } }",
                "rules: { limit: { by: user, fixed-window: { permits: 1, window: 1s }"
                        + ", ban: { after: 2, within: 1s, for: '${V}', doubling-up-to: 2s } } }",
                "rules: { limit: { by: user, fixed-window: { permits: 1, window: '${V}' }"
                        + ", ban: { after: 2, within: 1s, for: 2s } } }"
            })
    void no_error_about_another_value_shows_a_value(String policy) {
        requireNoErrorShows("policies: { api: { " + policy + " } }");
    }

    private static void requireNoErrorShows(String yaml) {
        int refused = 0;
        for (String value : List.of(
                "98765",
                "987654",
                "9876543s",
                "59s",
                "59m",
                "s3cr3t",
                "Lisbon",
                "Europe/Lisbon",
                "x, was y",
                "9876543 per 1s")) {
            try {
                PolicyFile.parse(yaml, "p.yaml", Map.of("V", value));
            } catch (ConfigException e) {
                refused++;
                assertThat(e.getMessage())
                        .contains("${V}")
                        .doesNotContain(value, "98765", "PT2743H", "PT59", "59 ", "Lisbon", "did you mean", "was y");
            }
        }
        assertThat(refused).as("the refused values of " + yaml).isPositive();
    }

    @Test
    void an_error_about_a_lease_hides_the_limits_on_which_it_depends() {
        assertThat(
                        refusal(
                                "policies: { api: { lease: 40s, rules: { limit: { sliding-window: { permits: '${PERMITS}', window: 1s } } } } }"))
                .isEqualTo(
                        "p.yaml:1:27: policies.api.lease: must be at most … because of rule limit … … at most as long as"
                                + " a sliding window, and as half of a burst takes to refill; a sliding window and its lease together"
                                + " are at most … days, was 40s; it depends on the value of \"${PERMITS}\"");
    }

    @Test
    void an_error_hides_only_the_variables_that_it_depends_on() {
        String limit = "fixed-window: { permits: '${PERMITS}', window: 1m }";
        assertThat(refusal("policies: { 'a 1': { colocate: '${COLOCATE:-policy}', rules: { r: { " + limit + " } } } }"))
                .isEqualTo(Refusal.of(
                        "policies: { 'a 1': { rules: { r: { fixed-window: { permits: 1, window: 1m } } } } }"));
        StringBuilder rules = new StringBuilder();
        for (int i = 1; i <= 17; i++) {
            rules.append("r").append(i).append(": { ").append(limit).append(" }, ");
        }
        assertThat(refusal("policies: { api: { rules: { " + rules + " } } }"))
                .contains("must be from 1 to 16, was 17")
                .doesNotContain("…", "${");
        assertThat(refusal("policies: { api: { colocate: '${COLOCATE:-policy}', rules: { r: { "
                        + "token-bucket: { capacity: 1000000, refill: 1 per 366d } } } } }"))
                .isEqualTo(Refusal.of("policies: { api: { colocate: policy               , rules: { r: { "
                        + "token-bucket: { capacity: 1000000, refill: 1 per 366d } } } } }"));
    }

    @Test
    void an_error_about_several_values_names_the_variables() {
        assertThat(refusal("""
                        policies:
                          api:
                            rules:
                              limit:
                                token-bucket:
                                  capacity: ${PIN}
                                  refill: 1 per 366d
                        """))
                .startsWith("p.yaml:5:9: policies.api.rules.limit.token-bucket: ")
                .contains("; it depends on the value of \"${PIN}\"")
                .doesNotContain("987654321");
    }

    @Test
    void a_value_is_never_read_as_yaml() {
        assertThat(refusal("policies: { a: { rules: { r: { sliding-window: { permits: \"${YAML}\" } } } } }"))
                .contains("sliding-window: window is missing")
                .contains("must be a whole number such as 100 or 10_000, was the value of \"${YAML}\"");
    }

    @Test
    void a_variable_without_quotes_between_braces_is_explained() {
        assertThat(refusal("policies: { a: { rules: { r: { fixed-window: { permits: ${PERMITS}, window: 1m } } } } }"))
                .startsWith(
                        "p.yaml:1:58: policies.a.rules.r.fixed-window: is not YAML: a value with { must be in quotes here, such as \"${NAME}\"");
        assertThat(Refusal.of(
                        "policies: { a: { rules: { r: { fixed-window: { permits: ${PERMITS}, window: 1m } } } } }"))
                .startsWith("p.yaml:1:58: policies.a.rules.r.fixed-window: is not YAML: put the value in quotes");
    }

    @Test
    void names_have_no_variables() {
        assertThat(
                        refusal(
                                "policies: { a: { rules: { r: { by: '${SECRET}', fixed-window: { permits: 1, window: 1m } } } } }"))
                .contains(
                        "must be the name of a dimension, as names have no variables, was the value of \"${SECRET}\"");
        assertThat(refusal("policies: { '${SECRET}': { rules: { r: { fixed-window: { permits: 1, window: 1m } } } } }"))
                .contains("${SECRET}")
                .doesNotContain(SECRET);
    }

    @Test
    void a_value_is_bounded() {
        String yaml = "policies: { a: { rules: { r: { fixed-window: { permits: '${BIG}${BIG}', window: 1m } } } } }";
        ConfigException thrown = catchThrowableOfType(
                ConfigException.class, () -> PolicyFile.parse(yaml, "p.yaml", Map.of("BIG", "1".repeat(100_000))));
        assertThat(thrown)
                .hasMessageContaining(
                        "must have at most 4096 characters with the values of its variables, was \"${BIG}${BIG}\"");
        assertThat(refusal(limited("permits: ${PERMITS}" + "0".repeat(4094) + "\nwindow: 1m")))
                .contains("must have at most 4096 characters with the values of its variables");
    }

    @Test
    void a_text_that_is_no_local_file_has_no_variables_and_no_includes() {
        assertThat(Refusal.of(limited("permits: ${HOME}\nwindow: 1m")))
                .isEqualTo(
                        "p.yaml:6:20: policies.api.rules.limit.sliding-window.permits: has \"${HOME}\", but variables are for "
                                + "local files only; write the value, or $${ for the text ${");
        assertThat(
                        Refusal.of(
                                "include: [/etc/passwd]\npolicies: { a: { rules: { r: { fixed-window: { permits: 1, window: 1m } } } } }"))
                .isEqualTo(
                        "p.yaml:1:1: include: includes are for local files only; remove it, and write the policies of those "
                                + "files as further texts");
    }

    @Test
    void includes_of_a_text_without_a_file_are_errors() {
        assertThat(refusal("include: [a.yaml]\n" + limited("permits: 1\nwindow: 1m")))
                .startsWith("p.yaml:1:1: include: includes are for local files only");
    }

    @Test
    void the_example_reads_its_defaults_and_includes_a_file() {
        Policies policies = PolicyFile.read(Path.of("../examples/variables.yaml"));
        assertThat(policies.names()).containsExactly("checkout", "partner");
        assertThat(policies.get("checkout").rules().get(0).limit())
                .isEqualTo(Limit.slidingWindow(100, Duration.ofMinutes(1)));
    }
}
