package io.headgate.config;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The JSON Schema of policy files accepts and rejects the rules and limits that the reader accepts and rejects. */
class RuleSchemaTest {

    private static final String LIMIT = "fixed-window: { permits: 1, window: 1m }";

    private final PolicySchema schema = new PolicySchema();

    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {
                "by: user, fixed-window: { permits: 0, window: 1ms }",
                "by: [a, b, c, d, e, f, g, h], fixed-window: { permits: 1000000000, window: 366d, align: clock }",
                "fixed-window: { permits: 1_000_000_000, window: 31622400s }",
                "fixed-window: { permits: '999_999_999', window: P366D }",
                "fixed-window: { permits: 1, window: 1000us }, shadow: 'true', count-attempts: 'false'",
                "fixed-window: { permits: 1, window: pt1h30m0.5s }",
                "sliding-window: { permits: 1_000_000, window: 007m }",
                "sliding-window: { permits: 1000_000, window: P1DT-1H }",
                "sliding-counter: { permits: 1000_000_000, window: 8784h }",
                "token-bucket: { capacity: 10, refill: 1_000   per PT1S }",
                "token-bucket: { capacity: 10, refill: 1000000000 per 527040m }",
                "leaky-bucket: { capacity: 10, leak: 5 per 1s, mode: meter }",
                "calendar-window: { permits: 1, per: week, zone: +05:30 }",
                "calendar-window: { permits: 1, per: month, zone: '-18:00' }",
                "calendar-window: { permits: 1, per: day, zone: Z }",
                "calendar-window: { permits: 1, per: day, zone: UTC+1 }",
                "calendar-window: { permits: 1, per: day, zone: America/Argentina/Buenos_Aires }",
                "in-flight: { permits: 100_000 }, by: tenant.id",
                "by: ip, fixed-window: { permits: 1, window: 1m }, ban: { after: 1_000, within: 1d, for: 60s }",
                "by: ip, fixed-window: { permits: 1, window: 1m },"
                        + " ban: { after: '5', within: PT1M, for: 15m, doubling-up-to: 24h }",
                "in-flight: { permits: '0' }",
                "fixed-window: { permits: 1, window: 1m }, overrides: [{ when: { region: 1, beta: true, v: 1.5 },"
                        + " fixed-window: { permits: 2, window: 1h, align: first-request } }]",
            })
    void both_accept_a_valid_rule(String rule) {
        schema.assertBothAccept(rule(rule));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            by: user
            by: user, LIMIT, token-bucket: { capacity: 1, refill: 1 per 1s }
            LIMIT, in-flight: { permits: 1 }
            LIMIT, dry-run: true
            LIMIT, by: ip, ban: true
            LIMIT, by: ip, ban: { after: -1, within: 1m, for: 15m }
            LIMIT, by: ip, ban: { after: 1001, within: 1m, for: 15m }
            LIMIT, by: ip, ban: { after: 5, within: 1m }
            LIMIT, by: ip, ban: { after: 5, for: 15m }
            LIMIT, by: ip, ban: { within: 1m, for: 15m }
            LIMIT, by: ip, ban: { after: 5, within: soon, for: 15m }
            LIMIT, by: ip, ban: { after: 5, within: 1m, for: 15m, until: 2h }
            LIMIT, shadow: on
            LIMIT, shadow: 1
            LIMIT, count-attempts: yes
            LIMIT, count-attempts: [true]
            LIMIT, by:
            LIMIT, by: []
            LIMIT, by: user id
            LIMIT, by: [ip, ip]
            LIMIT, by: [[ip]]
            LIMIT, by: { user: 1 }
            LIMIT, by: [a, b, c, d, e, f, g, h, i]
            LIMIT, overrides: []
            LIMIT, overrides: gold
            LIMIT, overrides: [gold]
            LIMIT, overrides: [{ LIMIT }]
            LIMIT, overrides: [{ when: { plan: gold } }]
            LIMIT, overrides: [{ when: {}, LIMIT }]
            LIMIT, overrides: [{ when: gold, LIMIT }]
            LIMIT, overrides: [{ when: { plan: "" }, LIMIT }]
            LIMIT, overrides: [{ when: { plan: }, LIMIT }]
            LIMIT, overrides: [{ when: { plan: [gold] }, LIMIT }]
            LIMIT, overrides: [{ when: { a b: gold }, LIMIT }]
            LIMIT, overrides: [{ when: { plan: gold }, LIMIT, by: user }]
            LIMIT, overrides: [{ when: { plan: gold }, sliding-window: { permits: 1, window: 1m } }]
            LIMIT, overrides: [{ when: { plan: gold }, LIMIT, sliding-window: { permits: 1, window: 1m } }]
            LIMIT, overrides: [{ when: { plan: gold }, in-flight: { permits: 5 } }]
            LIMIT, overrides: [{ when: { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1, i: 1 }, LIMIT }]
            in-flight: { permits: 1 }, by: []
            in-flight: { permits: 1 }, shadow: true
            in-flight: { permits: 1 }, count-attempts: false
            in-flight: { permits: 1 }, overrides: [{ when: { plan: gold }, in-flight: { permits: 5 } }]
            in-flight: { permits: 100001 }
            in-flight: { permits: 100_001 }
            in-flight: { permits: -1 }
            in-flight: { permits: few }
            in-flight: { permits: 1, window: 1m }
            in-flight: {}
            in-flight: 5
            """)
    void both_reject_an_invalid_rule(String rule) {
        schema.assertBothReject(rule(rule.replace("LIMIT", LIMIT)));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            fixed-window: 100
            fixed-window: [100, 1m]
            fixed-window:
            fixed-window: { permits: 1 }
            fixed-window: { window: 1m }
            fixed-window: { permits: 1, windw: 1m }
            fixed-window: { permits: 1, window: 1m, align: day }
            fixed-window: { permits: 1000000001, window: 1m }
            fixed-window: { permits: 1_000_000_001, window: 1m }
            fixed-window: { permits: -1, window: 1m }
            fixed-window: { permits: 1.5, window: 1m }
            fixed-window: { permits: many, window: 1m }
            fixed-window: { permits: 1_00, window: 1m }
            fixed-window: { permits: "", window: 1m }
            fixed-window: { permits: true, window: 1m }
            fixed-window: { permits: ~, window: 1m }
            fixed-window: { permits: 1, window: 60 }
            fixed-window: { permits: 1, window: 0s }
            fixed-window: { permits: 1, window: 999us }
            fixed-window: { permits: 1, window: 367d }
            fixed-window: { permits: 1, window: 10000h }
            fixed-window: { permits: 1, window: -5s }
            fixed-window: { permits: 1, window: 1.5s }
            fixed-window: { permits: 1, window: 1 m }
            fixed-window: { permits: 1, window: 1w }
            fixed-window: { permits: 1, window: 1M }
            fixed-window: { permits: 1, window: P1M }
            fixed-window: { permits: 1, window: P }
            fixed-window: { permits: 1, window: P1DT }
            sliding-window: { permits: -1, window: 1m }
            sliding-window: { permits: 1000001, window: 1m }
            sliding-window: { permits: 1_000_001, window: 1m }
            sliding-window: { permits: 1, window: 1m, align: clock }
            sliding-counter: { permits: 1000000001, window: 1m }
            sliding-counter: { permits: 1 }
            token-bucket: { capacity: 1 }
            token-bucket: { capacity: -1, refill: 1 per 1s }
            token-bucket: { capacity: 1, refill: 1 per 1s, mode: meter }
            token-bucket: { capacity: 1, refill: 0 per 1s }
            token-bucket: { capacity: 1, refill: 1000000001 per 1s }
            token-bucket: { capacity: 1, refill: 5 per 0s }
            token-bucket: { capacity: 1, refill: 5 per 367d }
            token-bucket: { capacity: 1, refill: 1000 }
            token-bucket: { capacity: 1, refill: 1000/s }
            token-bucket: { capacity: 1, refill: 1000 per s }
            token-bucket: { capacity: 1, refill: 1000 each 1s }
            token-bucket: { capacity: 1, refill: 5 per PT }
            leaky-bucket: { capacity: 1, refill: 1 per 1s }
            leaky-bucket: { capacity: 1000000001, leak: 1 per 1ms }
            leaky-bucket: { capacity: 1, leak: 1 per 1s, mode: queue }
            calendar-window: { permits: 1, per: year, zone: UTC }
            calendar-window: { permits: 1, per: day }
            calendar-window: { permits: 1, zone: UTC }
            calendar-window: { permits: 1, per: day, zone: "" }
            calendar-window: { permits: 1, per: day, zone: 01:00 }
            calendar-window: { permits: 1, per: day, zone: +25:00 }
            calendar-window: { permits: 1, per: day, zone: +18:01 }
            calendar-window: { permits: 1, per: day, zone: Europe Berlin }
            """)
    void both_reject_an_invalid_limit(String limit) {
        schema.assertBothReject(rule(limit));
        schema.assertBothReject(
                "policies: { a: { rules: { r: { " + limit + ", overrides: [{ when: { a: b }, " + limit + " }] } } } }");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            token-bucket    | capacity: 10; refill: 1 per 1s
            leaky-bucket    | capacity: 10; leak: 1 per 1s
            sliding-window  | permits: 10; window: 1m
            sliding-counter | permits: 10; window: 1m
            fixed-window    | permits: 10; window: 1m
            calendar-window | permits: 10; per: day; zone: UTC
            """)
    void the_limits_of_a_rule_and_of_its_overrides_are_of_one_kind_with_all_keys(String kind, String keys) {
        String limit = kind + ": { " + keys.replace(";", ",") + " }";
        String other = kind.equals("fixed-window") ? "sliding-window: { permits: 1, window: 1m }" : LIMIT;
        schema.assertBothAccept(rule(limit));
        schema.assertBothAccept(rule(limit + overrides(limit)));
        schema.assertBothReject(rule(limit + ", " + other));
        schema.assertBothReject(rule(limit + overrides(other)));
        schema.assertBothReject(rule(limit + overrides(limit + ", " + other)));
        assertKeysAreChecked(kind, List.of(keys.split("; ")), "");
        assertKeysAreChecked(kind, List.of(keys.split("; ")), limit);
    }

    @Test
    void the_keys_of_an_in_flight_limit_are_checked() {
        assertKeysAreChecked("in-flight", List.of("permits: 10"), "");
    }

    /** Asserts that a limit lacks no key, has no other key, and has a valid value of each key, also in an override of {@code rule}. */
    private void assertKeysAreChecked(String kind, List<String> keys, String rule) {
        List<String> malformed = new ArrayList<>(List.of("5", "{ " + String.join(", ", keys) + ", limit: 1 }"));
        for (String key : keys) {
            List<String> others = new ArrayList<>(keys);
            others.remove(key);
            malformed.add("{ " + String.join(", ", others) + " }");
            others.add(key.replaceAll(":.*", ": []"));
            malformed.add("{ " + String.join(", ", others) + " }");
        }
        for (String value : malformed) {
            String limit = kind + ": " + value;
            schema.assertBothReject(rule(rule.isEmpty() ? limit : rule + overrides(limit)));
        }
    }

    @Test
    void the_value_of_an_attribute_has_at_most_1024_characters() {
        String override = LIMIT + ", overrides: [{ when: { plan: %s }, " + LIMIT + " }]";
        schema.assertBothAccept(rule(override.formatted("g".repeat(1024))));
        schema.assertBothReject(rule(override.formatted("g".repeat(1025))));
    }

    private static String rule(String fields) {
        return "policies: { a: { rules: { r: { " + fields + " } } } }";
    }

    private static String overrides(String limit) {
        return ", overrides: [{ when: { plan: gold }, " + limit + " }]";
    }
}
