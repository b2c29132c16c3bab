package io.headgate.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the exact error for each field of a rule. The rule is on line 2, and its first field in column 3. */
class LimitErrorsTest {

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            permits: -1            | must be from 0 to 1000000, was -1
            permits: 1000001       | must be from 0 to 1000000, was 1000001
            permits: 1_000_001     | must be from 0 to 1000000, was 1_000_001
            permits: 99999999999999999999  | must be from 0 to 1000000, was 99999999999999999999
            permits: -99999999999999999999 | must be from 0 to 1000000, was -99999999999999999999
            permits: many          | must be a whole number such as 100 or 10_000, was many
            permits: 1e6           | must be a whole number such as 100 or 10_000, was 1e6
            permits: 1.5           | must be a whole number such as 100 or 10_000, was 1.5
            permits: 0x10          | must be a whole number such as 100 or 10_000, was 0x10
            permits: 010           | must be a whole number such as 100 or 10_000, was 010
            permits: +5            | must be a whole number such as 100 or 10_000, was +5
            permits: 1_00          | must be a whole number such as 100 or 10_000, was 1_00
            permits: .inf          | must be a whole number such as 100 or 10_000, was .inf
            permits: 100 per 1s    | must be a whole number such as 100 or 10_000, was "100 per 1s"
            permits: ""            | must be a whole number such as 100 or 10_000, was ""
            permits:               | must be a whole number such as 100 or 10_000, was empty
            permits: ~             | must be a whole number such as 100 or 10_000, was empty
            permits: null          | must be a whole number such as 100 or 10_000, was empty
            permits: [100]         | must be a whole number such as 100 or 10_000, was a list
            permits: { max: 100 }  | must be a whole number such as 100 or 10_000, was a mapping
            """)
    void permits_are_a_number_in_range(String permits, String error) {
        String column = permits.equals("permits:") ? "29" : "30";
        assertThat(Refusal.ofRule("sliding-window: { " + permits + " , window: 1m }"))
                .isEqualTo("2:" + column + ": r.sliding-window.permits: " + error);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            0s                   | must be from 1 ms to 366 days, was 0s
            -5s                  | must be from 1 ms to 366 days, was -5s
            999us                | must be from 1 ms to 366 days, was 999us
            367d                 | must be from 1 ms to 366 days, was 367d
            365000d              | must be from 1 ms to 366 days, was 365000d
            9223372036854775807d | must be from 1 ms to 366 days, was 9223372036854775807d
            99999999999999999999s| must be from 1 ms to 366 days, was 99999999999999999999s
            PT0S                 | must be from 1 ms to 366 days, was PT0S
            P367D                | must be from 1 ms to 366 days, was P367D
            PT1.0000001S         | must be a whole number of microseconds, was PT1.0000001S
            60                   | must be a duration such as 250ms, 30s, 1m, 12h, 7d or PT1M, was 60
            1.5s                 | must be a duration such as 250ms, 30s, 1m, 12h, 7d or PT1M, was 1.5s
            1 m                  | must be a duration such as 250ms, 30s, 1m, 12h, 7d or PT1M, was "1 m"
            1M                   | must be a duration such as 250ms, 30s, 1m, 12h, 7d or PT1M, was 1M
            1w                   | must be a duration such as 250ms, 30s, 1m, 12h, 7d or PT1M, was 1w
            100ns                | must be a duration such as 250ms, 30s, 1m, 12h, 7d or PT1M, was 100ns
            minute               | must be a duration such as 250ms, 30s, 1m, 12h, 7d or PT1M, was minute
            P1M                  | must be a duration such as 250ms, 30s, 1m, 12h, 7d or PT1M, was P1M
            PT99999999999999999999S | must be a duration such as 250ms, 30s, 1m, 12h, 7d or PT1M, was PT99999999999999999999S
            [1m]                 | must be a duration such as 250ms, 30s, 1m, 12h, 7d or PT1M, was a list
            """)
    void a_window_is_a_duration_in_range(String window, String error) {
        assertThat(Refusal.ofRule("fixed-window: { permits: 1, window: " + window + " }"))
                .isEqualTo("2:39: r.fixed-window.window: " + error);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            0 per 1s          | permits must be from 1 to 1000000000, was "0 per 1s"
            1000000001 per 1s | permits must be from 1 to 1000000000, was "1000000001 per 1s"
            5 per 0s          | period must be from 1 ms to 366 days, was "5 per 0s"
            5 per 367d        | period must be from 1 ms to 366 days, was "5 per 367d"
            1000              | must be permits per duration such as 1000 per 1s, was 1000
            1000/s            | must be permits per duration such as 1000 per 1s, was 1000/s
            1000 per          | must be permits per duration such as 1000 per 1s, was "1000 per"
            1000 per s        | must be permits per duration such as 1000 per 1s, was "1000 per s"
            1000 each 1s      | must be permits per duration such as 1000 per 1s, was "1000 each 1s"
            ten per 1s        | must be permits per duration such as 1000 per 1s, was "ten per 1s"
            { n: 5 }          | must be permits per duration such as 1000 per 1s, was a mapping
            """)
    void a_refill_is_permits_per_duration(String refill, String error) {
        assertThat(Refusal.ofRule("token-bucket: { capacity: 5, refill: " + refill + " }"))
                .isEqualTo("2:40: r.token-bucket.refill: " + error);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            fixed-window: { permits: 1000000001, window: 1m } | 2:28: r.fixed-window.permits: must be from 0 to 1000000000, was 1000000001
            fixed-window: { permits: 1, window: 1m, align: day } | 2:50: r.fixed-window.align: must be clock or first-request, was day
            fixed-window: { permits: 1, window: 1m, align: } | 2:49: r.fixed-window.align: must be clock or first-request, was empty
            fixed-window: { permits: 1, window: 1m, align: CLOCK } | 2:50: r.fixed-window.align: must be clock or first-request, was CLOCK
            token-bucket: { capacity: -1, refill: 1 per 1s } | 2:29: r.token-bucket.capacity: must be from 0 to 1000000000, was -1
            token-bucket: { capacity: 1000000000, refill: 1 per 1s } | 2:3: r.token-bucket: a token bucket of capacity 1000000000 with a rate of 1 per 1000000 us takes longer than ten years for its whole capacity; raise the rate or lower the capacity
            leaky-bucket: { capacity: 1000000001, leak: 1 per 1s } | 2:29: r.leaky-bucket.capacity: must be from 0 to 1000000000, was 1000000001
            leaky-bucket: { capacity: 1000000000, leak: 1 per 1s } | 2:3: r.leaky-bucket: a leaky bucket of capacity 1000000000 with a rate of 1 per 1000000 us takes longer than ten years for its whole capacity; raise the rate or lower the capacity
            leaky-bucket: { capacity: 1, leak: 0 per 1s } | 2:38: r.leaky-bucket.leak: permits must be from 1 to 1000000000, was "0 per 1s"
            leaky-bucket: { capacity: 1, leak: 1 per 1us } | 2:38: r.leaky-bucket.leak: period must be from 1 ms to 366 days, was "1 per 1us"
            leaky-bucket: { capacity: 1, leak: 5/s } | 2:38: r.leaky-bucket.leak: must be permits per duration such as 1000 per 1s, was 5/s
            leaky-bucket: { capacity: 1, leak: 1 per 1s, mode: queue } | 2:54: r.leaky-bucket.mode: must be meter or shaper, was queue
            calendar-window: { permits: -1, per: day, zone: UTC } | 2:31: r.calendar-window.permits: must be from 0 to 1000000000, was -1
            calendar-window: { permits: 1, per: year, zone: UTC } | 2:39: r.calendar-window.per: must be day, week or month, was year
            calendar-window: { permits: 1, per: 1d, zone: UTC } | 2:39: r.calendar-window.per: must be day, week or month, was 1d
            """)
    void an_error_of_the_api_has_its_position(String rule, String error) {
        assertThat(Refusal.ofRule(rule)).isEqualTo(error);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            Europe/Berln     | Europe/Berln; did you mean Europe/Berlin?
            europe/berlin    | europe/berlin; did you mean Europe/Berlin?
            America/New-York | America/New-York; did you mean America/New_York?
            Berlin           | Berlin; did you mean Europe/Berlin?
            PST              | PST; did you mean America/Los_Angeles?
            utc              | utc; did you mean UTC?
            Mars/Olympus     | Mars/Olympus
            +25:00           | +25:00
            01:00            | 01:00
            local            | local
            ""               | ""
            [UTC]            | a list
            ~                | empty
            """)
    void an_unknown_zone_is_an_error_with_a_suggestion_if_a_zone_is_similar(String zone, String was) {
        assertThat(Refusal.ofRule("calendar-window: { permits: 1, per: day, zone: " + zone + " }"))
                .isEqualTo(
                        "2:50: r.calendar-window.zone: must be a time zone such as Europe/Berlin, UTC or +01:00, was "
                                + was);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            sliding-window: { permits: 1 }        | 2:3: r.sliding-window: window is missing
            sliding-window: { window: 1s }        | 2:3: r.sliding-window: permits is missing
            fixed-window: { permits: 1 }          | 2:3: r.fixed-window: window is missing
            token-bucket: { capacity: 1 }         | 2:3: r.token-bucket: refill is missing
            token-bucket: { refill: 1 per 1s }    | 2:3: r.token-bucket: capacity is missing
            token-bucket: 100                     | 2:17: r.token-bucket: must be a mapping with capacity, refill, was 100
            token-bucket: [100, 1s]               | 2:17: r.token-bucket: must be a mapping with capacity, refill, was a list
            token-bucket:                         | 2:16: r.token-bucket: must be a mapping with capacity, refill, was empty
            sliding-window: { permits: 1, window: 1s, align: clock } | 2:45: r.sliding-window.align: unknown key. Allowed: permits, window
            leaky-bucket: { capacity: 1 }         | 2:3: r.leaky-bucket: leak is missing
            leaky-bucket: { leak: 1 per 1s }      | 2:3: r.leaky-bucket: capacity is missing
            leaky-bucket:                         | 2:16: r.leaky-bucket: must be a mapping with capacity, leak, mode, was empty
            leaky-bucket: { capacity: 1, refill: 1 per 1s } | 2:32: r.leaky-bucket.refill: unknown key; did you mean leak? Allowed: capacity, leak, mode
            leaky-bucket: { capacity: 1, leak: 1 per 1s, shape: true } | 2:48: r.leaky-bucket.shape: unknown key; did you mean mode? Allowed: capacity, leak, mode
            calendar-window: { per: day, zone: UTC }  | 2:3: r.calendar-window: permits is missing
            calendar-window: { permits: 1, zone: Z }  | 2:3: r.calendar-window: per is missing
            calendar-window: { permits: 1, per: day } | 2:3: r.calendar-window: zone is missing
            calendar-window: { permits: 1, window: day, zone: Z } | 2:34: r.calendar-window.window: unknown key; did you mean per? Allowed: permits, per, zone
            calendar-window: { permits: 1, per: day, timezone: Z } | 2:44: r.calendar-window.timezone: unknown key; did you mean zone? Allowed: permits, per, zone
            """)
    void missing_and_unknown_keys_of_a_limit_are_errors(String rule, String error) {
        assertThat(Refusal.ofRule(rule)).isEqualTo(error);
    }
}
