package io.headgate.config.sources;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.Policies;
import io.headgate.config.PolicyFile;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PolicyChangesTest {

    private static List<String> changes(String before, String after) {
        return PolicyChanges.between(read(before), read(after)).stream()
                .map(PolicyChange::toString)
                .toList();
    }

    private static Policies read(String policies) {
        return PolicyFile.parse("policies: {" + policies + "}", "test");
    }

    private static String api(String rule) {
        return "api: { rules: { per-user: { by: user, " + rule + " } } }";
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    sliding-window: { permits: 100, window: 1m } | sliding-window: { permits: 200, window: 1m } | raised from sliding-window 100 per 1m to sliding-window 200 per 1m
                    sliding-window: { permits: 100, window: 1m } | sliding-window: { permits: 100, window: 30s } | raised from sliding-window 100 per 1m to sliding-window 100 per 30s
                    sliding-window: { permits: 100, window: 1m } | sliding-window: { permits: 6000, window: 1h } | raised from sliding-window 100 per 1m to sliding-window 6000 per 1h
                    sliding-window: { permits: 100, window: 1m } | sliding-window: { permits: 99, window: 1m } | lowered from sliding-window 100 per 1m to sliding-window 99 per 1m
                    sliding-window: { permits: 100, window: 1m } | sliding-window: { permits: 200, window: 1h } | changed from sliding-window 100 per 1m to sliding-window 200 per 1h
                    sliding-window: { permits: 100, window: 1m } | sliding-counter: { permits: 200, window: 1m } | changed from sliding-window 100 per 1m to sliding-counter 200 per 1m
                    token-bucket: { capacity: 10, refill: 5 per 1s } | token-bucket: { capacity: 10, refill: 6 per 1s } | raised from token-bucket of 10, refill 5 per 1s to token-bucket of 10, refill 6 per 1s
                    token-bucket: { capacity: 10, refill: 5 per 1s } | token-bucket: { capacity: 10, refill: 10 per 2s } | changed from token-bucket of 10, refill 5 per 1s to token-bucket of 10, refill 10 per 2s
                    leaky-bucket: { capacity: 10, leak: 5 per 1s } | leaky-bucket: { capacity: 20, leak: 5 per 1s, mode: shaper } | changed from leaky-bucket of 10, leak 5 per 1s (mode meter) to leaky-bucket of 20, leak 5 per 1s (mode shaper)
                    fixed-window: { permits: 1, window: 90s } | fixed-window: { permits: 1, window: 2m } | lowered from fixed-window 1 per 90s (align clock) to fixed-window 1 per 2m (align clock)
                    calendar-window: { permits: 5, per: day, zone: UTC } | calendar-window: { permits: 6, per: day, zone: UTC } | raised from calendar-window 5 per day (zone UTC) to calendar-window 6 per day (zone UTC)
                    calendar-window: { permits: 5, per: day, zone: UTC } | calendar-window: { permits: 6, per: week, zone: UTC } | changed from calendar-window 5 per day (zone UTC) to calendar-window 6 per week (zone UTC)
                    """)
    void a_limit_is_raised_lowered_or_changed(String before, String after, String change) {
        assertThat(changes(api(before), api(after))).containsExactly("api.per-user: " + change);
    }

    @Test
    void policies_and_rules_are_added_and_removed() {
        String window = "sliding-window: { permits: 1, window: 1s }";
        assertThat(changes(
                        "api: { rules: { a: { " + window + " }, b: { " + window + " } } }, old: { rules: { a: { "
                                + window + " } } }",
                        "api: { rules: { a: { " + window + " }, c: { by: [user, ip], " + window
                                + " } } }, new: { rules: { a: { shadow: true, " + window + " } } }"))
                .containsExactly(
                        "api.b: removed",
                        "api.c: added sliding-window 1 per 1s by user, ip",
                        "old: removed",
                        "new: added with a: sliding-window 1 per 1s, in shadow mode");
    }

    @Test
    void settings_of_policies_and_rules_change() {
        String rule = "rules: { limit: { by: user, sliding-window: { permits: 1, window: 1s }";
        assertThat(changes(
                        "api: { lease: 50ms, " + rule + " } } }",
                        "api: { fallback: closed, budget: 20ms, pausable: true, " + rule
                                + ", shadow: true, count-attempts: false } } }"))
                .containsExactly(
                        "api.limit.shadow: changed from false to true",
                        "api.lease: changed from 50ms to none",
                        "api.fallback: changed from none to closed with a budget of 20ms",
                        "api.pausable: changed from false to true");
    }

    @Test
    void overrides_are_counted() {
        String when = "- { when: { user: %s }, sliding-window: { permits: %d, window: 1s } }\n";
        assertThat(PolicyChanges.between(
                        overridden(when.formatted("alice", 2), when.formatted("bob", 2)),
                        overridden(when.formatted("alice", 3), when.formatted("carol", 2))))
                .extracting(PolicyChange::toString)
                .containsExactly("api.overrides: changed 1 added, 1 removed, 1 with another limit");
    }

    private static Policies overridden(String... overrides) {
        String yaml = """
                policies:
                  api:
                    rules:
                      limit:
                        by: user
                        sliding-window: { permits: 1, window: 1s }
                        overrides:
                """;
        return PolicyFile.parse(yaml + ("          " + String.join("          ", overrides)), "test");
    }

    private static List<String> changesOfLocal(String before, String after) {
        Map<String, String> values = Map.of("N", "4711", "TIME", "59m", "WORD", "closed");
        Policies was = PolicyFile.parse("policies: {" + before + "}", "test", values);
        Policies is = PolicyFile.parse("policies: {" + after + "}", "test", values);
        return PolicyChanges.between(
                        Policies.of(List.of()).with(was), Policies.of(List.of()).with(is))
                .stream()
                .map(PolicyChange::toString)
                .toList();
    }

    @Test
    void settings_with_variables_are_shown_as_they_were_written() {
        String plain = "sliding-window: { permits: 1, window: 1m }";
        String variable = "sliding-window: { permits: '${N}', window: 1m }";
        assertThat(changesOfLocal(api(plain), api(variable)))
                .containsExactly(
                        "api.per-user: raised from sliding-window 1 per 1m to sliding-window { permits: \"${N}\", window: 1m }");
        assertThat(changesOfLocal(api(variable), api(plain)))
                .containsExactly(
                        "api.per-user: lowered from sliding-window { permits: \"${N}\", window: 1m } to sliding-window 1 per 1m");
        assertThat(changesOfLocal("old: { rules: { limit: { " + plain + " } } }", api(variable)))
                .containsExactly(
                        "old: removed",
                        "api: added with per-user: sliding-window { permits: \"${N}\", window: 1m } by user");
        assertThat(changesOfLocal(
                        "api: { rules: { limit: { by: user, " + plain + " } } }",
                        "api: { fallback: '${WORD}', budget: 20ms, rules: { limit: { by: user, " + plain
                                + ", shadow: '${X:-true}', ban: { after: 2, within: '${TIME}', for: 2h } } } }"))
                .containsExactly(
                        "api.limit.shadow: changed from false to \"${X:-true}\"",
                        "api.limit.ban: changed from none to { after: 2, within: \"${TIME}\", for: 2h }",
                        "api.fallback: changed from none to \"${WORD}\" with a budget of 20ms");
        assertThat(
                        changesOfLocal(
                                "x: { rules: { lease: { in-flight: { permits: 2 } } } }",
                                "x: { lease: '${L:-20s}', at-most: '${TIME}', rules: { lease: { in-flight: { permits: '${N}' } } } }"))
                .containsExactly(
                        "x.lease: raised from in-flight 2 to in-flight { permits: \"${N}\" }",
                        "x.lease: changed from 30s to \"${L:-20s}\"",
                        "x.at-most: changed from none to \"${TIME}\"");
    }

    @Test
    void in_flight_policies_are_compared() {
        assertThat(
                        changes(
                                "exports: { lease: 10s, rules: { limit: { by: user, in-flight: { permits: 2 } } } }",
                                "exports: { lease: 20s, at-most: 1h, rules: { limit: { by: user, in-flight: { permits: 3 } } } }"))
                .containsExactly(
                        "exports.limit: raised from in-flight 2 to in-flight 3",
                        "exports.lease: changed from 10s to 20s",
                        "exports.at-most: changed from none to 1h");
    }

    @Test
    void another_order_of_rules_is_a_change_and_one_of_policies_is_none() {
        String a = "a: { sliding-window: { permits: 1, window: 1s } }";
        String b = "b: { sliding-window: { permits: 2, window: 1s } }";
        assertThat(changes("api: { rules: { " + a + ", " + b + " } }", "api: { rules: { " + b + ", " + a + " } }"))
                .containsExactly("api: changed in the order of its rules");
        String one = "one: { rules: { " + a + " } }";
        String two = "two: { rules: { " + b + " } }";
        assertThat(changes(one + ", " + two, two + ", " + one)).isEmpty();
    }
}
