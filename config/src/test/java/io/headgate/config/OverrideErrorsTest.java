package io.headgate.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the exact errors about overrides. */
class OverrideErrorsTest {

    private static final String LIMIT = "sliding-window: { permits: 5, window: 1m }";
    private static final String RULE = "sliding-window: { permits: 1, window: 1m }, overrides: ";

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            { when: { plan: gold } } | 2:58: r.overrides: must be a list of mappings with when and a limit, was a mapping
            gold     | 2:58: r.overrides: must be a list of mappings with when and a limit, was gold
            null     | 2:58: r.overrides: must be a list of mappings with when and a limit, was empty
            []       | 2:58: r.overrides: has no overrides; remove it
            [gold]   | 2:59: r.overrides[0]: must be a mapping with when, token-bucket, leaky-bucket, sliding-window, sliding-counter, fixed-window, calendar-window, was gold
            [{}]     | 2:59: r.overrides[0]: when is missing\\n2:59: r.overrides[0]: has no limit; it needs sliding-window
            [{ LIMIT }] | 2:59: r.overrides[0]: when is missing
            [{ if: { plan: gold }, LIMIT }] | 2:59: r.overrides[0]: when is missing\\n2:61: r.overrides[0].if: unknown key. Allowed: when, token-bucket, leaky-bucket, sliding-window, sliding-counter, fixed-window, calendar-window
            [{ wehn: { plan: gold }, LIMIT }] | 2:61: r.overrides[0].wehn: unknown key; did you mean when? Allowed: when, token-bucket, leaky-bucket, sliding-window, sliding-counter, fixed-window, calendar-window
            [{ when: gold, LIMIT }] | 2:67: r.overrides[0].when: must be a mapping of attributes to values, such as { plan: gold }, was gold
            [{ when: {}, LIMIT }] | 2:67: r.overrides[0].when: number of attributes of an override of rule r must be from 1 to 8, was 0
            [{ when: { plan: "" }, LIMIT }] | 2:75: r.overrides[0].when.plan: number of characters must be from 1 to 1024, was ""
            [{ when: { plan: }, LIMIT }] | 2:74: r.overrides[0].when.plan: must be a value of 1 to 1024 characters, was empty
            [{ when: { plan: [gold] }, LIMIT }] | 2:75: r.overrides[0].when.plan: must be a value of 1 to 1024 characters, was a list
            [{ when: { "a b": gold }, LIMIT }] | 2:69: r.overrides[0].when."a b": name of an attribute must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit, was "a b"
            [{ when: { plan: gold } }] | 2:59: r.overrides[0]: has no limit; it needs sliding-window
            [{ when: { plan: gold }, fixed-window: { permits: 5, window: 1m } }] | 2:83: r.overrides[0].fixed-window: must be a limit of the kind of its rule, sliding-window
            [{ when: { plan: gold }, sliding-window: { permits: many, window: 1m } }] | 2:110: r.overrides[0].sliding-window.permits: must be a whole number such as 100 or 10_000, was many
            [{ when: { plan: gold }, in-flight: { permits: 5 } }] | 2:59: r.overrides[0]: has no limit; it needs sliding-window\\n2:83: r.overrides[0].in-flight: unknown key. Allowed: when, token-bucket, leaky-bucket, sliding-window, sliding-counter, fixed-window, calendar-window
            [{ when: { a: b, c: d }, LIMIT }, { when: { c: d, a: b }, LIMIT }] | 2:129: r.overrides[1]: is a second override for these attributes; the first is in line 2
            """)
    void an_error_in_an_override_has_its_position(String overrides, String error) {
        assertThat(Refusal.ofRule(RULE + overrides.replace("LIMIT", LIMIT))).isEqualTo(error.replace("\\n", "\n"));
    }

    @Test
    void an_in_flight_limit_has_no_overrides() {
        assertThat(Refusal.ofRule(
                        "in-flight: { permits: 5 }, overrides: [{ when: { plan: gold }, in-flight: { permits: 9 } }]"))
                .isEqualTo("2:30: r.overrides: does not apply to an in-flight limit; remove it");
    }

    @Test
    void too_many_sets_of_names_are_an_error_at_the_overrides_of_the_rule() {
        String overrides = IntStream.range(0, 17)
                .mapToObj(i -> "{ when: { name-" + i + ": a }, " + LIMIT + " }")
                .collect(Collectors.joining(", ", "[", "]"));
        assertThat(Refusal.ofRule(RULE + overrides))
                .startsWith(
                        "2:47: r.overrides: rule r of policy a must have overrides by at most 16 sets of attribute names");
    }

    @Test
    void an_override_that_cannot_be_leased_is_an_error_at_the_lease() {
        assertThat(Refusal.of("policies:\n  a:\n    lease: 10s\n    rules: { r: { by: user, " + RULE
                        + "[{ when: { plan: gold }, sliding-window: { permits: 9, window: 5s } }] } }"))
                .isEqualTo("p.yaml:3:12: policies.a.lease: must be at most PT5S because of rule r"
                        + " (SlidingWindow[permits=9, window=PT5S]): at most as long as a sliding window, and as half of a"
                        + " burst takes to refill; a sliding window and its lease together are at most 366 days,"
                        + " was 10s");
    }

    /** A file of 1 MiB has fewer; another library, such as that of a Spring Boot application, may have parsed more. */
    @Test
    void more_than_100_000_overrides_are_an_error_at_the_overrides() {
        assertThat(PolicyFile.read(policyWithOverrides(100_000), "headgate.policies")
                        .get("a")
                        .overrides())
                .hasSize(100_000);
        assertThatThrownBy(() -> PolicyFile.read(policyWithOverrides(100_001), "headgate.policies"))
                .isInstanceOf(ConfigException.class)
                .hasMessage(
                        "headgate.policies.a.rules.r.overrides: number of overrides of policy a must be from 0 to 100000, was 100001");
    }

    private static ConfigNode.Mapping policyWithOverrides(int count) {
        ConfigNode limit = mapping(Map.of("permits", text("5"), "window", text("1m")));
        List<ConfigNode> overrides = IntStream.range(0, count)
                .<ConfigNode>mapToObj(i ->
                        mapping(Map.of("when", mapping(Map.of("user", text("user-" + i))), "sliding-window", limit)))
                .toList();
        ConfigNode rule = mapping(
                Map.of("by", text("user"), "sliding-window", limit, "overrides", new ConfigNode.Items("", overrides)));
        return mapping(Map.of("a", mapping(Map.of("rules", mapping(Map.of("r", rule))))));
    }

    private static ConfigNode.Mapping mapping(Map<String, ConfigNode> entries) {
        return new ConfigNode.Mapping("", entries);
    }

    private static ConfigNode text(String text) {
        return new ConfigNode.Text("", text);
    }
}
