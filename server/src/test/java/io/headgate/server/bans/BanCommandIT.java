package io.headgate.server.bans;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Colocation;
import io.headgate.limits.Decision;
import io.headgate.limits.Fallback;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.bans.BanRule;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.server.CliRun;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code headgate ban} with a real Redis, and an engine that applies the bans. */
@Timeout(300)
class BanCommandIT {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final RedisServer REDIS = RedisServer.startOwn();
    private static final String TIME = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z";

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    @AfterAll
    static void stop() {
        REDIS.close();
    }

    @BeforeEach
    void empty() {
        try (RedisProbe probe = RedisProbe.of(REDIS.url())) {
            probe.flushAll();
        }
    }

    /** An engine whose requests Redis decides, however slow this machine is. */
    private static RedisLimitEngine limits() {
        return RedisLimitEngine.builder(RedisSettings.of(REDIS.url()).withTimeout(LONG.dividedBy(2)))
                .fallback(Fallback.none())
                .build();
    }

    private static CliRun ban(String command, String... arguments) {
        List<String> all = new ArrayList<>(List.of("ban", command, "--redis", REDIS.url(), "--redis-timeout", "4s"));
        all.addAll(List.of(arguments));
        return CliRun.of(all.toArray(String[]::new));
    }

    private static String done(CliRun run) {
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.out().strip();
    }

    @Test
    void a_ban_is_added_shown_applied_and_lifted() {
        try (RedisLimitEngine limits = limits()) {
            Limiter api = limits.limiter(Policy.of("api", Limit.slidingWindow(5, Duration.ofHours(1)), "ip"));
            assertThat(done(ban("add", "ip=203.0.113.0/24", "--for", "1h", "--reason", "scraping", "--by", "ada")))
                    .matches("added ban of ip=\"203\\.0\\.113\\.0/24\" until " + TIME);
            Await.until("ban", LONG, () -> api.peek("203.0.113.7").basis() == Decision.Basis.BANNED);
            assertThat(done(ban("show", "ip=203.0.113.7", "ip=198.51.100.7")))
                    .matches("ip=203\\.0\\.113\\.7: ban of ip=\"203\\.0\\.113\\.0/24\" until " + TIME
                            + ", by ada: scraping\\R" + "ip=198\\.51\\.100\\.7: neither banned nor exempt");
            assertThat(done(ban("lift", "ip=203.0.113.0/24")))
                    .matches("lifted ban of ip=\"203\\.0\\.113\\.0/24\" until " + TIME);
            Await.until("no ban", LONG, () -> api.peek("203.0.113.7").allowed());
        }
    }

    @ParameterizedTest
    @EnumSource
    void bans_by_a_rule_are_shown_and_lifted(Colocation where) {
        try (RedisLimitEngine limits = limits()) {
            Limiter login = limits.limiter(Policy.named("login")
                    .rule(Rule.of("per-ip", Limit.tokenBucket(1, 1, Duration.ofHours(1)), "ip")
                            .banning(BanRule.after(1, Duration.ofHours(1)).lasting(Duration.ofHours(1))))
                    .colocate(where)
                    .build());
            String network = "2001:db8:1:2::/64";
            String[] rule = {"ip=2001:db8:1:2::7", "--policy", "login", "--rule", "per-ip"};
            login.tryAcquire(network);
            assertThat(done(ban("show", rule)))
                    .isEqualTo("ip=2001:db8:1:2::7 of policy login: no ban by rule per-ip of policy login");
            login.tryAcquire(network);
            assertThat(done(ban("show", rule)))
                    .matches("ban of ip=\"2001:db8:1:2::7\" by rule per-ip of policy login, which ends in .*");
            assertThat(done(ban("show", with(rule, "--json"))))
                    .matches(
                            "\\{\"bans\":\\[\\{\"attribute\":\"ip\",\"value\":\"2001:db8:1:2::7\",\"policy\":\"login\","
                                    + "\"rule\":\"per-ip\",\"bannedForSeconds\":[0-9.]+,\"retryAfterSeconds\":[0-9.]+}]}");
            done(ban("add", "ip=2001:db8:1:2::/64", "--permanent", "--exempt"));
            assertThat(done(ban("show", rule))).contains("by rule per-ip of policy login, which ends in ");
            done(ban("lift", "ip=2001:db8:1:2::/64"));
            assertThat(done(ban("lift", rule))).startsWith("lifted ban of ip=\"2001:db8:1:2::7\" by rule per-ip");
            Await.until("no ban", LONG, () -> login.tryAcquire(network).allowed());
            CliRun again = ban("lift", rule);
            assertThat(again.exitCode()).isEqualTo(1);
            assertThat(again.out()).contains("no ban by rule per-ip of policy login");
        }
    }

    private static String[] with(String[] arguments, String more) {
        return Stream.concat(Stream.of(arguments), Stream.of(more)).toArray(String[]::new);
    }

    @Test
    void a_rule_needs_its_policy() {
        CliRun run = ban("show", "ip=192.0.2.1", "--rule", "per-ip");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("--rule needs the policy of the rule; add --policy NAME");
    }

    @Test
    void show_names_the_entries_of_each_policy() {
        done(ban("add", "user=mallory", "--permanent", "--policy", "login", "--by", "ada"));
        assertThat(done(ban("show", "user=mallory")))
                .isEqualTo("user=mallory: ban of user=\"mallory\" under policy login for good, by ada");
        done(ban("add", "user=mallory", "--permanent", "--by", "bob"));
        assertThat(done(ban("show", "user=mallory")).lines())
                .containsExactly(
                        "user=mallory: ban of user=\"mallory\" for good, by bob",
                        "              ban of user=\"mallory\" under policy login for good, by ada");
        assertThat(done(ban("show", "user=mallory", "--policy", "login", "--json")))
                .contains("\"entries\":[{");
    }

    @Test
    void each_change_is_a_line_of_the_audit_log() throws Exception {
        Path log = folder.resolve("audit.log");
        done(ban("add", "user=mallory", "--permanent", "--audit-log", log.toString()));
        done(ban("lift", "user=mallory", "--audit-log", log.toString()));
        assertThat(Files.readAllLines(log))
                .satisfiesExactly(
                        line -> assertThat(line)
                                .contains("\"action\":\"ban.add\",\"target\":\"user=mallory\",\"outcome\":\"done\""),
                        line -> assertThat(line)
                                .contains("\"action\":\"ban.lift\",\"target\":\"user=mallory\",\"outcome\":\"done\""));
    }

    @Test
    void entries_are_listed_exported_and_imported() throws Exception {
        assertThat(done(ban("list"))).isEqualTo("nothing is banned or exempt");
        done(ban("add", "user=mallory", "user=eve", "--for", "1h", "--by", "ada", "--reason", "card testing"));
        done(ban("add", "ip=2001:DB8::/32", "--permanent", "--exempt", "--by", "bob"));
        done(ban("add", "user=partner", "--permanent", "--exempt-counted", "--policy", "api", "--by", "bob"));
        List<String> lines = done(ban("list")).lines().toList();
        assertThat(lines.get(0)).matches("target +policy +kind +until +by +reason");
        assertThat(lines.get(1)).matches("ip=2001:db8::/32 +all +exemption +permanent +bob");
        assertThat(lines.get(2)).matches("user=eve +all +ban +" + TIME + " +ada +card testing");
        assertThat(lines.get(4)).matches("user=partner +api +counted exemption +permanent +bob");
        assertThat(done(ban("list", "--limit", "1"))).endsWith("and 3 more; to list them, give --limit");
        assertThat(done(ban("list", "--attribute", "ip", "--json"))).contains("\"total\":1");

        String exported = done(ban("export"));
        Path file = Files.writeString(
                folder.resolve("bans.jsonl"),
                exported + "\n{\"attribute\":\"user\",\"value\":\"old\",\"until\":\"2020-01-01T00:00:00Z\"}\n");
        empty();
        assertThat(done(ban("import", file.toString())))
                .isEqualTo("added the entries of 4 lines; left out 1 that have ended");
        assertThat(done(ban("list", "--json")).replaceAll("\"(since|until)\":\"[^\"]*\"", ""))
                .isEqualTo("{\"entries\":["
                        + exported.replaceAll("\"(since|until)\":\"[^\"]*\"", "")
                                .replaceAll("\\R", ",") + "],\"total\":4}");
    }

    @Test
    void an_import_with_an_invalid_line_adds_nothing() throws Exception {
        Path file = Files.writeString(
                folder.resolve("bans.jsonl"),
                "{\"attribute\":\"user\",\"value\":\"a\",\"permanent\":true}\n{\"attribute\":\"user\",\"value\":\"b\"}\n");
        CliRun run = ban("import", file.toString());
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err())
                .contains(
                        "line 2: give either until, such as 2026-12-31T00:00:00Z, or permanent: true. Nothing was changed");
        assertThat(done(ban("list"))).isEqualTo("nothing is banned or exempt");
        assertThat(ban("import", folder.resolve("missing").toString()).err()).contains("can't be read");
    }

    @Test
    void a_lift_of_a_target_without_an_entry_fails() {
        CliRun run = ban("lift", "user=alice");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out())
                .contains("user=alice is neither banned nor exempt; for those that are: ./headgate ban list");
    }

    @Test
    void a_dry_run_changes_nothing() {
        assertThat(done(ban("add", "user=alice", "--for", "1h", "--dry-run"))).isEqualTo("would add user=alice");
        assertThat(done(ban("list"))).isEqualTo("nothing is banned or exempt");
    }

    @Test
    void a_target_with_an_entry_of_another_kind_fails() {
        done(ban("add", "user=alice", "--permanent"));
        CliRun run = ban("add", "user=alice", "--permanent", "--exempt");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("user=alice has a ban already; lift it before you add an exemption");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            user=a                            | give either --for TIME or --permanent
            user=a --for 1h --permanent       | give either --for TIME or --permanent
            user=a --for 0s                   | is not a time from 1s to 3660d such as 15m, 2h or 3d
            mallory --permanent               | a target must be ATTRIBUTE=VALUE such as user=mallory or ip=203.0.113.0/24
            ip=10.0.0.0/7 --permanent         | ip=10.0.0.0/7 is wider than /8; ban smaller blocks, or give --force
            ip=127.0.0.1 --permanent          | ip=127.0.0.1 applies to an address of this machine, 127.0.0.1; ban other addresses, or give --force
            ip=203.0.113.7:80 --permanent     | ip must be an IP address or a network such as 203.0.113.0/24, was "203.0.113.7:80"; correct it, or give --force
            ip=203.0.113.* --permanent --exempt | ip must be an IP address or a network such as 203.0.113.0/24, was "203.0.113.*"; correct it, or give --force
            ip=10.1.2.3/24 --permanent        | ip 10.1.2.3/24 has bits after its prefix; write 10.1.2.0/24
            user=a --permanent --exempt --exempt-counted | give either --exempt or --exempt-counted
            """)
    void invalid_arguments_are_errors(String arguments, String problem) {
        CliRun run = ban("add", arguments.split(" +"));
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains(problem);
        assertThat(done(ban("list"))).isEqualTo("nothing is banned or exempt");
    }

    @Test
    void a_wide_block_is_banned_by_force() {
        assertThat(done(ban("add", "ip=10.0.0.0/7", "--permanent", "--force")))
                .startsWith("added ban of ip=\"10.0.0.0/7\"");
    }
}
