package io.headgate.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.headgate.limits.Limit;
import io.headgate.redis.RedisLimits;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** The doctor finds what is wrong with a real Redis that is started so, and leaves nothing in it. */
class DoctorIT {

    private static final String HEALTHY = "6gb";

    private String output = "";

    @Test
    void a_redis_as_it_should_be_has_no_problem() throws IOException {
        try (RedisServer redis = RedisServer.startOwn("--maxmemory", HEALTHY, "--appendonly", "yes");
                RedisProbe probe = RedisProbe.of(redis.url());
                RedisLimits limits = RedisLimits.connect(redis.url())) {
            limits.limiter("api", Limit.slidingWindow(5, Duration.ofMinutes(1))).tryAcquire("alice");
            assertThat(run("--redis", redis.url())).as(output).isZero();
            assertThat(output)
                    .contains("ok       reachable")
                    .contains("ok       version       Redis ")
                    .contains("ok       cluster       no, a single Redis")
                    .contains("ok       memory")
                    .contains("ok       eviction      noeviction")
                    .contains("ok       persistence   append-only file, appendfsync everysec")
                    .contains("ok       access        default may do all that Headgate does with keys hg:* (")
                    .contains("ok       clock         runs, ")
                    .contains("ok       slow scripts")
                    .contains("ok       busy scripts  says BUSY when a script has run for 5000 ms")
                    .contains("ok       keys          1 key hg:*, all of which expire")
                    .endsWith(" ok\n");
            assertThat(output.lines().reduce((first, last) -> last).orElseThrow())
                    .startsWith("0 problems, ");
            assertThat(probe.command("DBSIZE")).isEqualTo(1L);
        }
    }

    @Test
    void a_redis_that_evicts_is_a_problem() throws IOException {
        try (RedisServer redis = RedisServer.startOwn("--maxmemory", HEALTHY, "--maxmemory-policy", "allkeys-lru")) {
            assertThat(run("--redis", redis.url())).as(output).isEqualTo(1);
            assertThat(output)
                    .contains("problem  eviction      allkeys-lru: when memory is full, any key may go")
                    .contains("-> CONFIG SET maxmemory-policy noeviction")
                    .contains("\n1 problem, ");
        }
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', textBlock = """
            --maxmemory-policy volatile-ttl          | note     eviction      volatile-ttl: when memory is full, keys that expire go first | 0
            --maxmemory-policy volatile-lru --maxmemory 1gb | problem  eviction      volatile-lru: when memory is full, keys that expire | 1
            --maxmemory 800kb                        | problem  memory | 1
            --save ''                                | warning  persistence   none: a restart forgets all counts | 0
            --save 3600 1                            | note     persistence   snapshots (save 3600 1) | 0
            --appendonly yes --appendfsync no        | warning  persistence   append-only file, appendfsync no | 0
            --cluster-enabled yes                    | problem  cluster       a node of a Redis Cluster | 1
            --replicaof 127.0.0.1 1                  | problem  role          a replica of 127.0.0.1:1 | 1
            --lua-time-limit 0                       | note     busy scripts  never says BUSY | 0
            --maxclients 5                           | clients | 0
            """)
    void each_setting_is_judged(String settings, String line, int exitCode) throws IOException {
        String[] arguments = List.of(settings.split(" ")).stream()
                .map(word -> word.equals("''") ? "" : word)
                .toArray(String[]::new);
        try (RedisServer redis = RedisServer.startOwn(arguments)) {
            assertThat(run("--redis", redis.url())).as(output).isEqualTo(exitCode);
            assertThat(output).contains(line);
        }
    }

    @Test
    void a_user_of_few_rights_is_told_which_are_missing_and_what_may_not_be_asked_is_no_failure() throws IOException {
        try (RedisServer redis = RedisServer.startOwn();
                RedisProbe probe = RedisProbe.of(redis.url())) {
            String url = redis.url().replace("redis://", "redis://few:secret@");
            probe.command(
                    "ACL", "SETUSER", "few", "on", ">secret", "~hg:*", "+ping", "+get", "+set", "+evalsha", "+eval");
            assertThat(run("--redis", url)).as(output).isEqualTo(1);
            assertThat(output)
                    .contains("problem  access        this user may not: script|load, time, getrange, strlen, setrange,"
                            + " pexpire, unlink, ")
                    .contains("(tried on a key of its own)")
                    .contains("-> ACL SETUSER USER ~hg:* +script|load +time +getrange")
                    .contains("note     memory        not known: this user may not ask INFO")
                    .contains("note     clock         not known: this user may not ask TIME")
                    .contains("note     slow scripts  not known: this user may not ask SLOWLOG")
                    .contains("note     keys          not known: this user may not ask SCAN")
                    .doesNotContain("secret");
            // What it could not remove goes by itself.
            assertThat(probe.keysWithoutExpiry("*")).isEmpty();
        }
    }

    @Test
    void the_user_of_the_guide_has_all_rights_and_they_are_those_that_are_checked() throws IOException {
        String guide = Files.readString(Path.of("../docs/keys-and-memory.md"));
        String line = guide.lines()
                .filter(text -> text.contains("ACL SETUSER headgate"))
                .findFirst()
                .orElseThrow()
                .strip();
        assertThat(Pattern.compile("\\+(\\S+)").matcher(line).results().map(found -> found.group(1)))
                .containsExactlyInAnyOrderElementsOf(DoctorAccess.NEEDED.keySet());
        try (RedisServer redis = RedisServer.startOwn();
                RedisProbe probe = RedisProbe.of(redis.url())) {
            probe.command(line.replace(" +client|setinfo", "").split(" "));
            String url = redis.url().replace("redis://", "redis://headgate:password@");
            run("--redis", url);
            assertThat(output).contains("ok       access        ");
            assertThat(probe.command("DBSIZE")).isEqualTo(0L);
        }
    }

    @Test
    void slow_calls_of_ours_and_keys_that_never_expire_are_found() throws IOException {
        try (RedisServer redis = RedisServer.startOwn("--slowlog-log-slower-than", "0");
                RedisProbe probe = RedisProbe.of(redis.url());
                RedisLimits limits = RedisLimits.connect(redis.url())) {
            limits.limiter("api", Limit.slidingWindow(5, Duration.ofMinutes(1))).tryAcquire("alice");
            probe.command("SET", "hg:forgotten", "x");
            assertThat(run("--redis", redis.url())).as(output).isZero();
            assertThat(output)
                    .contains("warning  slow scripts  ")
                    .contains("warning  keys          2 keys hg:*, of which 1 never expire, such as \"hg:forgotten\"");
        }
    }

    @Test
    void one_that_does_not_answer_or_is_not_there_is_one_problem() throws IOException {
        try (RedisServer redis = RedisServer.startOwn()) {
            redis.pause();
            assertThat(run("--redis", redis.url(), "--redis-timeout", "300ms")).isEqualTo(1);
            assertThat(output).startsWith("problem  reachable     127.0.0.1:" + redis.port() + " does not answer: ");
            redis.resume();
        }
        assertThat(run("--redis", "redis://127.0.0.1:1")).isEqualTo(1);
        assertThat(output)
                .contains("127.0.0.1:1 does not answer: ")
                .contains("\n1 problem, 0 warnings, 0 notes, 0 ok\n");
    }

    @Test
    void as_json_it_says_the_same() throws IOException {
        try (RedisServer redis = RedisServer.startOwn("--maxmemory", HEALTHY, "--maxmemory-policy", "allkeys-lru")) {
            assertThat(run("--redis", redis.url(), "--json")).isEqualTo(1);
            JsonNode report = Json.MAPPER.readTree(output);
            assertThat(report.get("problems").asInt()).isEqualTo(1);
            assertThat(report.get("findings").findValuesAsText("check")).contains("version", "eviction", "access");
            assertThat(report.get("findings").findValuesAsText("level")).contains("ok", "problem");
        }
    }

    private int run(String... options) {
        StringWriter out = new StringWriter();
        String[] arguments = new String[options.length + 1];
        arguments[0] = "doctor";
        System.arraycopy(options, 0, arguments, 1, options.length);
        CommandLine line = Main.commandLine();
        line.setOut(new PrintWriter(out));
        int exitCode = line.execute(arguments);
        output = out.toString();
        return exitCode;
    }
}
