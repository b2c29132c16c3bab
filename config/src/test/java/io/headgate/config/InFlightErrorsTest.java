package io.headgate.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the exact errors about in-flight limits and in-flight policies. */
class InFlightErrorsTest {

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            in-flight: { permits: 100001 }   | 2:25: r.in-flight.permits: must be from 0 to 100000, was 100001
            in-flight: { permits: -1 }       | 2:25: r.in-flight.permits: must be from 0 to 100000, was -1
            in-flight: { permits: few }      | 2:25: r.in-flight.permits: must be a whole number such as 100 or 10_000, was few
            in-flight: 5                     | 2:14: r.in-flight: must be a mapping with permits, was 5
            in-flight: {}                    | 2:3: r.in-flight: permits is missing
            in-flight: { permits: 1, window: 1m } | 2:28: r.in-flight.window: unknown key. Allowed: permits
            in-flight: { permits: 1 }, shadow: true | 2:30: r.shadow: does not apply to an in-flight limit; remove it
            in-flight: { permits: 1 }, count-attempts: true | 2:30: r.count-attempts: does not apply to an in-flight limit; remove it
            in-flight: { permits: 1 }, by: [] | 2:34: r.by: names no dimension; omit by for a global rule
            in-flight: { permits: 1 }, by: [user, user] | 2:34: r.by: rule r names a dimension twice: [user, user]
            in-flight: { permits: 1 }, fixed-window: { permits: 1, window: 1s } | 2:30: r.fixed-window: is a second limit; a rule has one, and the first is in line 2
            fixed-window: { permits: 1, window: 1s }, in-flight: { permits: 1 } | 2:45: r.in-flight: is a second limit; a rule has one, and the first is in line 2
            inflight: { permits: 1 }         | 2:3: r.inflight: unknown key; did you mean in-flight? Allowed: by, token-bucket, leaky-bucket, sliding-window, sliding-counter, fixed-window, calendar-window, in-flight, count-attempts, shadow, ban, overrides
            """)
    void an_error_in_a_rule_has_its_position(String rule, String error) {
        assertThat(Refusal.ofRule(rule)).isEqualTo(error);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            lease: 1ms     | lease: must be from 1 s to 1 hour, in whole milliseconds, was 1ms
            lease: auto    | lease: must be a duration such as 10s or 1m, was auto
            lease: [10s]   | lease: must be a duration such as 10s or 1m, was a list
            at-most: 29s   | at-most: must be from 30 s to 366 days, in whole milliseconds, was 29s
            at-most: ever  | at-most: must be a duration such as 10m or 1h, was ever
            at-most: 367d  | at-most: must be from 30 s to 366 days, in whole milliseconds, was 367d
            """)
    void malformed_durations_and_durations_out_of_range_are_rejected(String key, String error) {
        int column = key.indexOf(' ') + 6;
        assertThat(Refusal.of("policies:\n  a:\n    " + key + "\n    rules: { r: { in-flight: { permits: 1 } } }"))
                .isEqualTo("p.yaml:3:" + column + ": policies.a." + error);
    }

    @Test
    void keys_for_the_other_kind_of_policy_are_rejected() {
        assertThat(Refusal.of("policies: { a: { pausable: true, rules: { r: { in-flight: { permits: 1 } } } } }"))
                .isEqualTo("p.yaml:1:18: policies.a.pausable: does not apply to in-flight limits; remove it");
        assertThat(Refusal.of("policies: { a: { colocate: spread, rules: { r: { in-flight: { permits: 1 } } } } }"))
                .isEqualTo(
                        "p.yaml:1:18: policies.a.colocate: does not apply to in-flight limits, whose keys share a slot; remove it");
        assertThat(Refusal.of(
                        "policies: { a: { at-most: 1h, rules: { r: { fixed-window: { permits: 1, window: 1s } } } } }"))
                .isEqualTo("p.yaml:1:18: policies.a.at-most: applies to in-flight limits only; remove it");
    }

    @Test
    void all_limits_of_a_policy_must_have_the_kind_of_the_first() {
        String other = "{ fixed-window: { permits: 1, window: 1s } }";
        String inFlight = "{ in-flight: { permits: 1 } }";
        assertThat(Refusal.of("""
                        policies:
                          a:
                            rules:
                              one: %2$s
                              two: %1$s
                              three: { by: user }
                          b:
                            rules:
                              one: %1$s
                              two: %2$s
                        """.formatted(other, inFlight))).isEqualTo("""
                        p.yaml:5:14: policies.a.rules.two.fixed-window: is not an in-flight limit, but that in line 4 is one; all limits of a policy must be in-flight limits, or none
                        p.yaml:6:7: policies.a.rules.three: has no limit; it needs in-flight
                        p.yaml:10:14: policies.b.rules.two.in-flight: is an in-flight limit, but that in line 9 is not; all limits of a policy must be in-flight limits, or none""");
    }

    @Test
    void names_are_checked_as_in_other_policies() {
        assertThat(Refusal.of("policies: { 'a b': { rules: { 'r{}': { in-flight: { permits: 1 } } } } }"))
                .isEqualTo("""
                        p.yaml:1:13: policies."a b": name of a policy must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit, was "a b"
                        p.yaml:1:31: policies."a b".rules."r{}": name of a rule must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit, was "r{}\"""");
    }
}
