package io.headgate.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the exact errors about policies, rules and dimensions. */
class PolicyErrorsTest {

    private static final String LIMIT = "fixed-window: { permits: 1, window: 1s }";

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            policies:                    | 1:10: policies: must be a mapping of names to policies, was empty
            policies: []                 | 1:11: policies: must be a mapping of names to policies, was a list
            policies: all                | 1:11: policies: must be a mapping of names to policies, was all
            policies: {}                 | 1:1: policies: has no policies; it needs at least one
            {}                           | 1:1: policies is missing
            []                           | 1:1: must be a mapping with policies, was a list
            policies                     | 1:1: must be a mapping with policies, was policies
            policy: {}                   | 1:1: policy: unknown key; did you mean policies? Allowed: policies
            rules: {}                    | 1:1: rules: unknown key. Allowed: policies\\n1:1: policies is missing
            polices: {}                  | 1:1: polices: unknown key; did you mean policies? Allowed: policies
            Policies: {}                 | 1:1: Policies: unknown key; did you mean policies? Allowed: policies
            policies: { a: }             | 1:15: policies.a: must be a mapping with colocate, lease, pausable, at-most, fallback, budget, rules, was empty
            policies: { a: 5 }           | 1:16: policies.a: must be a mapping with colocate, lease, pausable, at-most, fallback, budget, rules, was 5
            policies: { a: {} }          | 1:13: policies.a: rules is missing
            policies: { a: { rules: } }  | 1:24: policies.a.rules: must be a mapping of names to rules, was empty
            policies: { a: { rules: [] } }          | 1:25: policies.a.rules: must be a mapping of names to rules, was a list
            policies: { a: { rules: {} } }          | 1:18: policies.a.rules: has no rules; it needs at least one
            policies: { a: { rules: { r: } } }      | 1:29: policies.a.rules.r: must be a mapping with by, token-bucket, leaky-bucket, sliding-window, sliding-counter, fixed-window, calendar-window, in-flight, count-attempts, shadow, ban, overrides, was empty
            policies: { a: { rules: { r: 100 } } }  | 1:30: policies.a.rules.r: must be a mapping with by, token-bucket, leaky-bucket, sliding-window, sliding-counter, fixed-window, calendar-window, in-flight, count-attempts, shadow, ban, overrides, was 100
            policies: { a: { rules: { r: { by: u } } } } | 1:27: policies.a.rules.r: has no limit; it needs token-bucket, leaky-bucket, sliding-window, sliding-counter, fixed-window, calendar-window or in-flight
            """)
    void missing_keys_and_values_of_the_wrong_type_are_errors(String yaml, String error) {
        assertThat(Refusal.of(yaml)).isEqualTo("p.yaml:" + error.replace("\\n", "\np.yaml:"));
    }

    @ParameterizedTest(name = "lease: {0}")
    @CsvSource(delimiter = '|', textBlock = """
            often       | must be auto, or a duration such as 250ms or 2s, was often
            [1s]        | must be auto, or a duration such as 250ms or 2s, was a list
            5ms         | must be from 10 ms to 1 minute, in whole milliseconds, was 5ms
            40s         | must be at most PT30S because of rule r (SlidingWindow[permits=5, window=PT30S]): at most as long as a sliding window, and as half of a burst takes to refill; a sliding window and its lease together are at most 366 days, was 40s
            """)
    void a_lease_is_a_duration_that_the_rules_allow(String lease, String error) {
        assertThat(Refusal.of("policies:\n  a:\n    lease: " + lease
                        + "\n    rules: { r: { sliding-window: { permits: 5, window: 30s } } }"))
                .isEqualTo("p.yaml:3:12: policies.a.lease: " + error);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            fallback: shut    | 15: policies.a.fallback: must be local, open, closed or none, was shut
            fallback: [local] | 15: policies.a.fallback: must be local, open, closed or none, was a list
            budget: 50ms      | 5: policies.a.budget: goes with a fallback; name one, such as fallback: local
            """)
    void a_fallback_is_one_of_four_words_and_a_budget_needs_one(String field, String error) {
        assertThat(Refusal.of("policies:\n  a:\n    " + field
                        + "\n    rules: { r: { fixed-window: { permits: 5, window: 1m } } }"))
                .isEqualTo("p.yaml:3:" + error);
    }

    @ParameterizedTest(name = "budget: {0}")
    @CsvSource(delimiter = '|', textBlock = """
            0s   | must be from 1 ms to 1 minute, was 0s
            61s  | must be from 1 ms to 1 minute, was 61s
            soon | must be a duration such as 50ms or 1s, was soon
            """)
    void a_budget_is_a_duration_in_its_range(String budget, String error) {
        assertThat(Refusal.of("policies:\n  a:\n    fallback: open\n    budget: " + budget
                        + "\n    rules: { r: { fixed-window: { permits: 5, window: 1m } } }"))
                .isEqualTo("p.yaml:4:13: policies.a.budget: " + error);
    }

    @Test
    void a_rule_that_counts_attempts_can_not_be_leased() {
        assertThat(Refusal.of("policies:\n  a:\n    lease: auto\n    rules:"
                        + " { r: { sliding-window: { permits: 5, window: 30s }, count-attempts: true } }"))
                .isEqualTo(
                        "p.yaml:3:12: policies.a.lease: lease of policy a: rule r counts attempts, but a denied lease"
                                + " is not an attempt; such a policy can't be leased");
    }

    @ParameterizedTest(name = "colocate: {0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            node     | must be spread or policy, was node
            true     | must be spread or policy, was true
            Policy   | must be spread or policy, was Policy
            [policy] | must be spread or policy, was a list
            null     | must be spread or policy, was empty
            """)
    void colocate_is_one_of_two_words(String colocate, String error) {
        assertThat(Refusal.of("policies:\n  a:\n    colocate: " + colocate + "\n    rules: { r: { " + LIMIT + " } }"))
                .isEqualTo("p.yaml:3:15: policies.a.colocate: " + error);
    }

    @ParameterizedTest(name = "by: {0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            []           | 2:7: r.by: names no dimension; omit by for a global rule
            null         | 2:7: r.by: must be a dimension or a list of them, was empty
            { user: 1 }  | 2:7: r.by: must be a dimension or a list of them, was a mapping
            user id      | 2:7: r.by: must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit, was "user id"
            "a,b"        | 2:7: r.by: must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit, was "a,b"
            ""           | 2:7: r.by: must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit, was ""
            [ip, {u: 1}] | 2:12: r.by[1]: must be a dimension, was a mapping
            [ip, null]   | 2:12: r.by[1]: must be a dimension, was empty
            [[ip]]       | 2:8: r.by[0]: must be a dimension, was a list
            [ip, "u\\n"] | 2:12: r.by[1]: must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit, was "u\\u000a"
            [ip, 'u"x'] | 2:12: r.by[1]: must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit, was "u\\"x"
            [ip, u, ip]  | 2:7: r.by: rule r names a dimension twice: [ip, u, ip]
            [a, b, c, d, e, f, g, h, i] | 2:7: r.by: number of dimensions of rule r must be from 0 to 8, was 9
            """)
    void by_names_dimensions(String by, String error) {
        assertThat(Refusal.ofRule("by: " + by + ", " + LIMIT)).isEqualTo(error);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            ban: 5 | 2:8: r.ban: must be a mapping with after, within, for, doubling-up-to, was 5
            ban: { after: 5, within: 1m } | 2:3: r.ban: for is missing
            ban: { after: -1, within: 1m, for: 1h } | 2:17: r.ban.after: denials of a ban must be from 0 to 1000, was -1
            ban: { after: many, within: 1m, for: 1h } | 2:17: r.ban.after: must be a number of denials such as 20, was many
            ban: { after: 5, within: 2d, for: 1h } | 2:28: r.ban.within: must be from 1 s to 1 day, in whole milliseconds, was 2d
            ban: { after: 5, within: 1m, for: soon } | 2:37: r.ban.for: must be a duration such as 30s, 15m, 12h or PT15M, was soon
            ban: { after: 5, within: 1m, for: 1h, doubling-up-to: 1m } | 2:57: r.ban.doubling-up-to: must be from 1 hour to 3660 days, in whole milliseconds, was 1m
            count-attempts: yes    | 2:19: r.count-attempts: must be true or false, was yes
            count-attempts: 1      | 2:19: r.count-attempts: must be true or false, was 1
            count-attempts:        | 2:18: r.count-attempts: must be true or false, was empty
            shadow: on             | 2:11: r.shadow: must be true or false, was on
            shadow: True           | 2:11: r.shadow: must be true or false, was True
            shadow: [true]         | 2:11: r.shadow: must be true or false, was a list
            """)
    void a_switch_is_true_or_false(String option, String error) {
        assertThat(Refusal.ofRule(option + ", " + LIMIT)).isEqualTo(error);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            dimensions: [user], fixed-window: { permits: 1, window: 1s } | 2:3: r.dimensions: unknown key; did you mean by? Allowed: by, token-bucket, leaky-bucket, sliding-window, sliding-counter, fixed-window, calendar-window, in-flight, count-attempts, shadow, ban, overrides
            sliding_window: { permits: 1, window: 1s } | 2:3: r.sliding_window: unknown key; did you mean sliding-window? Allowed: by, token-bucket, leaky-bucket, sliding-window, sliding-counter, fixed-window, calendar-window, in-flight, count-attempts, shadow, ban, overrides
            tokenBucket: { capacity: 1, refill: 1 per 1s } | 2:3: r.tokenBucket: unknown key; did you mean token-bucket? Allowed: by, token-bucket, leaky-bucket, sliding-window, sliding-counter, fixed-window, calendar-window, in-flight, count-attempts, shadow, ban, overrides
            semaphore: {} , fixed-window: { permits: 1, window: 1s } | 2:3: r.semaphore: unknown key. Allowed: by, token-bucket, leaky-bucket, sliding-window, sliding-counter, fixed-window, calendar-window, in-flight, count-attempts, shadow, ban, overrides
            sliding-window: { permist: 1, window: 1s } | 2:21: r.sliding-window.permist: unknown key; did you mean permits? Allowed: permits, window
            sliding-window: { limit: 1, period: 1s } | 2:21: r.sliding-window.limit: unknown key; did you mean permits? Allowed: permits, window\\n2:31: r.sliding-window.period: unknown key; did you mean window? Allowed: permits, window
            dry-run: true, fixed-window: { permits: 1, window: 1s } | 2:3: r.dry-run: unknown key; did you mean shadow? Allowed: by, token-bucket, leaky-bucket, sliding-window, sliding-counter, fixed-window, calendar-window, in-flight, count-attempts, shadow, ban, overrides
            counts-attempts: true, fixed-window: { permits: 1, window: 1s } | 2:3: r.counts-attempts: unknown key; did you mean count-attempts? Allowed: by, token-bucket, leaky-bucket, sliding-window, sliding-counter, fixed-window, calendar-window, in-flight, count-attempts, shadow, ban, overrides
            "a.b": 1, fixed-window: { permits: 1, window: 1s } | 2:3: r."a.b": unknown key. Allowed: by, token-bucket, leaky-bucket, sliding-window, sliding-counter, fixed-window, calendar-window, in-flight, count-attempts, shadow, ban, overrides
            """)
    void the_error_for_an_unknown_key_lists_the_known_ones(String rule, String error) {
        assertThat(Refusal.ofRule(rule)).isEqualTo(error.replace("\\n", "\n"));
    }

    @Test
    void a_rule_has_one_limit_and_the_error_for_a_second_names_the_line_of_the_first() {
        assertThat(Refusal.of("""
                        policies:
                          a:
                            rules:
                              r:
                                token-bucket: { capacity: 1, refill: 1 per 1s }
                                by: user
                                fixed-window: { permits: x, window: 1s }
                        """)).isEqualTo("""
                        p.yaml:7:9: policies.a.rules.r.fixed-window: is a second limit; a rule has one, and the first is in line 5
                        p.yaml:7:34: policies.a.rules.r.fixed-window.permits: must be a whole number such as 100 or 10_000, was x""");
    }

    @Test
    void a_name_that_the_api_rejects_has_its_position() {
        String rules = "{ rules: { r: { " + LIMIT + " } } }";
        String must = " must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit, was ";
        assertThat(Refusal.of("policies:\n  check out: " + rules + "\n  -a: " + rules + "\n  \"\": " + rules))
                .isEqualTo("""
                        p.yaml:2:3: policies."check out": name of a policy%1$s"check out"
                        p.yaml:3:3: policies.-a: name of a policy%1$s"-a"
                        p.yaml:4:3: policies."": name of a policy%1$s\"\"""".formatted(must));
        assertThat(Refusal.of("policies: { a: { rules: { 'r{}': { " + LIMIT + " } } } }"))
                .isEqualTo("p.yaml:1:27: policies.a.rules.\"r{}\": name of a rule" + must + "\"r{}\"");
    }

    @Test
    void an_error_for_a_duplicate_key_names_both_lines() {
        String rule = "{ " + LIMIT + " }";
        assertThat(Refusal.of("""
                        policies:
                          a:
                            rules: { r: %1$s, s: %1$s,
                              r: %1$s }
                          "a":
                            rules: { r: %1$s }
                        policies: {}
                        """.formatted(rule))).isEqualTo("""
                        p.yaml:4:7: policies.a.rules.r: is a second r; the first is in line 3
                        p.yaml:5:3: policies.a: is a second a; the first is in line 2
                        p.yaml:7:1: policies: is a second policies; the first is in line 1""");
        assertThat(Refusal.ofRule("fixed-window: { permits: 1, window: 1s, permits: 1 }"))
                .isEqualTo("2:43: r.fixed-window.permits: is a second permits; the first is in line 2");
    }

    @Test
    void a_policy_has_at_most_16_rules() {
        assertThat(Refusal.of("policies: { a: { rules: { " + rules(17, "1s") + " } } }"))
                .isEqualTo("p.yaml:1:18: policies.a.rules: number of rules of policy a must be from 1 to 16, was 17");
    }

    @Test
    void twenty_problems_are_listed_in_the_order_of_the_file_and_the_rest_is_counted() {
        String yaml =
                "policies:\n  a: { rules: { " + rules(12, "0s") + "} }\n  b: { rules: { " + rules(15, "0s") + "} }";
        ConfigException thrown = catchThrowableOfType(ConfigException.class, () -> PolicyFile.parse(yaml, "p.yaml"));

        assertThat(thrown.problems()).hasSize(20);
        assertThat(thrown.problems().get(0))
                .isEqualTo(
                        "p.yaml:2:59: policies.a.rules.r0.fixed-window.window: must be from 1 ms to 366 days, was 0s");
        assertThat(thrown.problems().get(19)).contains("policies.b.rules.r7.fixed-window.window: ");
        assertThat(thrown.getMessage()).isEqualTo(String.join("\n", thrown.problems()) + "\nand 7 more");
    }

    private static String rules(int count, String window) {
        return IntStream.range(0, count)
                .mapToObj(i -> "r" + i + ": { fixed-window: { permits: 1, window: " + window + " } }")
                .collect(Collectors.joining(",\n"));
    }
}
