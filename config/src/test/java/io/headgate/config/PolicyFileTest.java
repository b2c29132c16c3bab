package io.headgate.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Attributes;
import io.headgate.limits.CalendarWindow.Unit;
import io.headgate.limits.Colocation;
import io.headgate.limits.Fallback;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.bans.BanRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PolicyFileTest {

    private static final Path EVERY_KEY = Path.of("src/test/resources/io/headgate/config/every-key.yaml");

    @Test
    void a_file_is_read_into_policies_in_their_order() {
        Policy checkout = Policy.named("checkout")
                .colocate(Colocation.POLICY)
                .rule("global", Limit.tokenBucket(2000, 1000, Duration.ofSeconds(1)))
                .rule("per-user", Limit.slidingWindow(100, Duration.ofMinutes(1)), Attributes.USER)
                .override(
                        "per-user",
                        Attributes.of("plan", "gold").with("region", "1"),
                        Limit.slidingWindow(1000, Duration.ofMinutes(1)))
                .override("per-user", Attributes.of("user", "alice"), Limit.slidingWindow(500, Duration.ofMinutes(1)))
                .rule(
                        "per-user-and-agent",
                        Limit.slidingWindow(20, Duration.ofMillis(250)),
                        Attributes.USER,
                        Attributes.USER_AGENT)
                .rule("per-ip", Limit.fixedWindow(600, Duration.ofHours(1)).fromFirstRequest(), Attributes.IP)
                .rule("per-tenant", Limit.fixedWindow(0, Duration.ofDays(7)), "tenant.id")
                .build();
        Policy sms = Policy.named("sms.v2")
                .rule("per-user", Limit.fixedWindow(5, Duration.ofDays(1)), Attributes.USER)
                .override("per-user", Attributes.of("plan", "gold"), Limit.fixedWindow(50, Duration.ofDays(1)))
                .leased(Duration.ofSeconds(2))
                .build();
        Policy logins = Policy.named("logins")
                .rule(Rule.of("per-user", Limit.slidingWindow(5, Duration.ofMinutes(10)), Attributes.USER)
                        .countingAttempts())
                .rule(Rule.of("per-ip", Limit.calendarWindow(50, Unit.DAY, ZoneId.of("Europe/Berlin")), Attributes.IP)
                        .banning(BanRule.after(20, Duration.ofMinutes(1))
                                .lasting(Duration.ofHours(25))
                                .doublingUpTo(Duration.ofDays(30)))
                        .inShadow())
                .rule("all", Limit.calendarWindow(1_000_000, Unit.MONTH, ZoneOffset.ofHours(-3)))
                .build();
        Policy partner = Policy.named("partner")
                .rule("calls", Limit.leakyBucket(20, 5, Duration.ofSeconds(1)).shaper())
                .rule(Rule.of("mails", Limit.leakyBucket(100, 1, Duration.ofMinutes(1)))
                        .countingAttempts()
                        .inShadow())
                .rule("reports", Limit.leakyBucket(1, 1, Duration.ofHours(1)))
                .rule("visits", Limit.slidingCounter(50_000_000, Duration.ofDays(1)))
                .fallback(Fallback.closed().within(Duration.ofMillis(20)))
                .build();

        InFlightPolicy exports = InFlightPolicy.named("exports")
                .rule("global", 100)
                .rule("per-user", 2, Attributes.USER)
                .lease(Duration.ofSeconds(10))
                .atMost(Duration.ofHours(1))
                .build();
        InFlightPolicy downloads = InFlightPolicy.named("downloads")
                .rule("per-user", 100_000, Attributes.USER)
                .build();

        Policies read = PolicyFile.read(EVERY_KEY);
        assertThat(read).containsExactly(checkout, sms, logins, partner);
        assertThat(read.inFlight()).containsExactly(exports, downloads);
    }

    @Test
    void a_policy_may_have_a_fallback() {
        Policies policies = PolicyFile.parse(
                "policies: { a: { fallback: closed, budget: 20ms, rules: { r: { sliding-window: { permits: 5, window: 1m } } } },"
                        + " b: { fallback: local, rules: { r: { sliding-window: { permits: 5, window: 1m } } } },"
                        + " c: { rules: { r: { sliding-window: { permits: 5, window: 1m } } } } }",
                "p.yaml");
        assertThat(policies.get("a").fallback()).contains(Fallback.closed().within(Duration.ofMillis(20)));
        assertThat(policies.get("b").fallback()).contains(Fallback.local());
        assertThat(policies.get("c").fallback()).isEmpty();
    }

    @Test
    void a_policy_may_be_pausable() {
        Policies policies = PolicyFile.parse(
                "policies: { a: { pausable: true, rules: { r: { sliding-window: { permits: 5, window: 1m } } } },"
                        + " b: { pausable: false, rules: { r: { sliding-window: { permits: 5, window: 1m } } } },"
                        + " c: { rules: { r: { sliding-window: { permits: 5, window: 1m } } } } }",
                "p.yaml");
        assertThat(policies.get("a").pausable()).isTrue();
        assertThat(policies.get("b").pausable()).isFalse();
        assertThat(policies.get("c").pausable()).isFalse();
    }

    @Test
    void an_in_flight_policy_may_have_a_fallback() {
        Policies policies = PolicyFile.parse(
                "policies: { a: { fallback: closed, budget: 20ms, at-most: 1h, rules: { r: { in-flight: { permits: 5 } } } },"
                        + " b: { rules: { r: { in-flight: { permits: 5 } } } } }",
                "p.yaml");
        InFlightPolicy closed = policies.inFlight("a");
        assertThat(closed.fallback()).contains(Fallback.closed().within(Duration.ofMillis(20)));
        assertThat(closed.atMost()).contains(Duration.ofHours(1));
        assertThat(policies.inFlight("b").fallback()).isEmpty();
    }

    @Test
    void an_automatic_lease_depends_on_the_rules() {
        Policies policies = PolicyFile.parse(
                "policies: { a: { lease: auto, rules: { r: { sliding-window: { permits: 5, window: 1m } } } } }",
                "p.yaml");
        assertThat(policies.get("a").lease()).contains(Duration.ofMillis(1200));
    }

    @Test
    void json_is_yaml_too() {
        Policies policies = PolicyFile.parse("""
                {"policies": {"api": {"rules": {"all": {"by": ["user"],
                  "sliding-window": {"permits": 3, "window": "1s"}}}}}}
                """, "policies.json");

        assertThat(policies)
                .containsExactly(Policy.named("api")
                        .rule("all", Limit.slidingWindow(3, Duration.ofSeconds(1)), "user")
                        .build());
    }

    @Test
    void a_byte_order_mark_and_cr_lf_line_ends_are_accepted(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("from-an-editor.yaml");
        Files.writeString(file, "\ufeff" + Files.readString(EVERY_KEY).replace("\n", "\r\n"));

        assertThat(PolicyFile.read(file)).isEqualTo(PolicyFile.read(EVERY_KEY));
    }

    @Test
    void a_file_of_one_mebibyte_is_read_and_one_byte_more_is_rejected(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("large.yaml");
        String yaml = Files.readString(EVERY_KEY);
        String filled = yaml + "#".repeat((1 << 20) - yaml.length());
        Files.writeString(file, filled);
        assertThat(PolicyFile.read(file)).hasSize(4);
        assertThat(PolicyFile.parse(filled, "p.yaml")).hasSize(4);

        Files.writeString(file, filled + "#");
        assertThatThrownBy(() -> PolicyFile.read(file))
                .isInstanceOf(ConfigException.class)
                .hasMessage(file + ": is larger than 1 MiB");
        assertThatThrownBy(() -> PolicyFile.parse(yaml + "é".repeat(1 << 19), "p.yaml"))
                .isInstanceOf(ConfigException.class)
                .hasMessage("p.yaml: is larger than 1 MiB");
    }

    @Test
    void the_error_for_a_missing_file_names_it(@TempDir Path folder) {
        Path missing = folder.resolve("nothing.yaml");

        assertThatThrownBy(() -> PolicyFile.read(missing))
                .isInstanceOf(ConfigException.class)
                .hasMessage(missing + ": no such file");
    }

    @Test
    void the_error_for_a_folder_names_it(@TempDir Path folder) {
        assertThatThrownBy(() -> PolicyFile.read(folder))
                .isInstanceOf(ConfigException.class)
                .hasMessage(folder + ": is a directory");
    }

    @Test
    void the_error_for_bytes_that_are_not_utf_8_has_their_position(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("latin1.yaml");
        Files.write(file, new byte[] {'#', ' ', (byte) 0xc3, (byte) 0xa9, '\n', '#', ' ', (byte) 0xe9, '\n'});

        assertThatThrownBy(() -> PolicyFile.read(file))
                .isInstanceOf(ConfigException.class)
                .hasMessage(file + ":2:3: the byte 0xe9 is not UTF-8 here");
    }

    @Test
    void a_file_that_ends_within_a_character_is_rejected(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("cut.yaml");
        Files.write(file, new byte[] {'#', (byte) 0xf0, (byte) 0x9f});

        assertThatThrownBy(() -> PolicyFile.read(file))
                .isInstanceOf(ConfigException.class)
                .hasMessage(file + ":1:2: the byte 0xf0 is not UTF-8 here");
    }
}
