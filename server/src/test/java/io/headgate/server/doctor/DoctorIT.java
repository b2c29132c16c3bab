package io.headgate.server.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.headgate.limits.Fallback;
import io.headgate.limits.Limit;
import io.headgate.queues.Codec;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.server.text.Json;
import io.headgate.testkit.RedisCluster;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.conditions.ServerVersionSensitive;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The doctor finds the problems of a real Redis, and leaves nothing in it. */
@ServerVersionSensitive
class DoctorIT {

    /** A {@code maxmemory} far above what these servers use. */
    private static final String ENOUGH = "6gb";

    private String output = "";

    @Test
    void a_healthy_redis_has_no_problem() throws IOException {
        try (RedisServer redis = RedisServer.startOwn("--maxmemory", ENOUGH, "--appendonly", "yes");
                RedisProbe probe = RedisProbe.of(redis.url());
                RedisLimitEngine limits = RedisLimitEngine.builder(
                                RedisSettings.of(redis.url()).withTimeout(Duration.ofSeconds(30)))
                        .fallback(Fallback.none())
                        .build()) {
            limits.limiter("api", Limit.slidingWindow(5, Duration.ofMinutes(1))).tryAcquire("alice");
            assertThat(run("--redis", redis.url())).as(output).isZero();
            assertThat(output)
                    .contains("ok       reachable")
                    .containsPattern("ok       version       (Redis|Valkey) \\d")
                    .contains("ok       cluster       no, a single Redis")
                    .contains("ok       memory")
                    .contains("ok       eviction      noeviction")
                    .contains("ok       persistence   append-only file, appendfsync everysec")
                    .contains("ok       access        default has all rights that limits need on keys hg:* (")
                    .contains("ok       clock         runs, ")
                    .contains("ok       slow scripts")
                    .contains("ok       busy scripts  returns BUSY when a script has run for 5000 ms")
                    .contains("ok       keys          1 key hg:*, all of which expire")
                    .endsWith(" ok\n");
            assertThat(output.lines().reduce((first, last) -> last).orElseThrow())
                    .startsWith("0 problems, ");
            assertThat(probe.command("DBSIZE")).isEqualTo(1L);
        }
    }

    @Test
    void a_redis_that_evicts_is_a_problem() throws IOException {
        try (RedisServer redis = RedisServer.startOwn("--maxmemory", ENOUGH, "--maxmemory-policy", "allkeys-lru")) {
            assertThat(run("--redis", redis.url())).as(output).isEqualTo(1);
            assertThat(output)
                    .contains("problem  eviction      allkeys-lru: when memory is full, any key may be evicted")
                    .contains("-> CONFIG SET maxmemory-policy noeviction")
                    .contains("\n1 problem (eviction), ");
        }
    }

    @Test
    void a_redis_that_has_evicted_is_a_warning() {
        try (RedisServer redis = RedisServer.startOwn("--maxmemory", "3mb", "--maxmemory-policy", "allkeys-lru");
                RedisProbe probe = RedisProbe.of(redis.url())) {
            for (int i = 0; i < 200; i++) {
                probe.command("SET", "cached:" + i, "x".repeat(50_000));
            }
            assertThat(run("--redis", redis.url())).as(output).isEqualTo(1);
            assertThat(output)
                    .containsPattern("warning  evicted       \\d+ keys evicted since Redis started")
                    .contains("problem  eviction      allkeys-lru");
        }
    }

    @Test
    void a_full_redis_that_does_not_evict_is_a_problem() {
        try (RedisServer redis = RedisServer.startOwn("--maxmemory", "3mb");
                RedisProbe probe = RedisProbe.of(redis.url())) {
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 200; i++) {
                            probe.command("SET", "cached:" + i, "x".repeat(50_000));
                        }
                    })
                    .hasMessageStartingWith("OOM");
            assertThat(run("--redis", redis.url())).as(output).isEqualTo(1);
            assertThat(output)
                    .contains("problem  memory")
                    .contains("of maxmemory 3.0 MiB")
                    .contains("ok       access        ");
        }
    }

    @Test
    void the_url_of_a_cluster_needs_a_cluster_that_serves_all_slots() throws IOException {
        try (RedisCluster cluster = RedisCluster.start()) {
            run("--redis", cluster.url());
            assertThat(output)
                    .contains("ok       cluster       state ok, 16384 of 16384 slots served, 3 masters with slots,"
                            + " 6 nodes");
        }
        try (RedisServer single = RedisServer.startOwn()) {
            assertThat(run("--redis", single.url().replace("redis:", "redis-cluster:")))
                    .isOne();
            assertThat(output).contains("problem  cluster       no, a single Redis");
        }
        try (RedisServer alone = RedisServer.startOwn("--cluster-enabled", "yes")) {
            assertThat(run("--redis", alone.url().replace("redis:", "redis-cluster:")))
                    .isOne();
            assertThat(output).contains("problem  cluster       state fail, 0 of 16384 slots served");
        }
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', textBlock = """
            --maxmemory-policy volatile-ttl          | note     eviction      volatile-ttl: when memory is full, keys with an expiry are evicted | 0
            --maxmemory-policy allkeys-lfu           | note     eviction      allkeys-lfu: when memory is full, any key may be evicted, including counts in use; without maxmemory | 0
            --maxmemory-policy allkeys-random --maxmemory 1gb | problem  eviction      allkeys-random: when memory is full, any key may be evicted | 1
            --maxmemory-policy volatile-random       | note     eviction      volatile-random: when memory is full, keys with an expiry are evicted | 0
            --maxmemory-policy volatile-lfu --maxmemory 1gb | problem  eviction      volatile-lfu: when memory is full, keys with an expiry | 1
            --maxmemory-policy volatile-lru --maxmemory 1gb | problem  eviction      volatile-lru: when memory is full, keys with an expiry | 1
            --maxmemory 800kb                        | problem  memory | 1
            --save ''                                | warning  persistence   none: a restart loses all counts | 0
            --save 3600 1                            | note     persistence   snapshots (save 3600 1) | 0
            --appendonly yes --appendfsync no        | warning  persistence   append-only file, appendfsync no | 0
            --cluster-enabled yes                    | problem  cluster       a node of a Redis Cluster | 1
            --replicaof 127.0.0.1 1                  | problem  role          a replica of 127.0.0.1:1 | 1
            --lua-time-limit 0                       | note     busy scripts  never returns BUSY | 0
            --maxclients 5                           | connected of at most 5 | 0
            """)
    void each_setting_has_its_finding(String settings, String line, int exitCode) throws IOException {
        String[] arguments = List.of(settings.split(" ")).stream()
                .map(word -> word.equals("''") ? "" : word)
                .toArray(String[]::new);
        try (RedisServer redis = RedisServer.startOwn(arguments)) {
            assertThat(run("--redis", redis.url())).as(output).isEqualTo(exitCode);
            assertThat(output).contains(line);
        }
    }

    @Test
    void slow_scripts_of_headgate_and_keys_without_expiry_are_found() throws IOException {
        try (RedisServer redis = RedisServer.startOwn("--slowlog-log-slower-than", "1");
                RedisProbe probe = RedisProbe.of(redis.url());
                RedisLimitEngine limits = RedisLimitEngine.builder(
                                RedisSettings.of(redis.url()).withTimeout(Duration.ofSeconds(30)))
                        .fallback(Fallback.none())
                        .build()) {
            limits.limiter("api", Limit.slidingWindow(5, Duration.ofMinutes(1))).tryAcquire("alice");
            probe.command("SET", "hg:forgotten", "x");
            probe.command("SET", "hg:q:{mails}", "a queue, which stays");
            probe.command("HSET", "hg:queues", "mails", "1");
            probe.command("HSET", "hg:streams", "orders", "1");
            probe.command("XADD", "hg:s:{orders}", "*", "p", "a stream, which stays");
            assertThat(run("--redis", redis.url())).as(output).isZero();
            assertThat(output)
                    .contains("warning  slow scripts  ")
                    .contains("warning  keys          2 keys hg:*, of which 1 never expire, such as \"hg:forgotten\"");
        }
    }

    @Test
    void foreign_values_are_named() throws IOException {
        try (RedisServer redis = RedisServer.startOwn();
                RedisProbe probe = RedisProbe.of(redis.url());
                RedisLimitEngine limits =
                        RedisLimitEngine.connect(RedisSettings.of(redis.url()).withTimeout(Duration.ofSeconds(30)));
                RedisQueueEngine queues =
                        RedisQueueEngine.connect(RedisSettings.of(redis.url()).withTimeout(Duration.ofSeconds(30)))) {
            for (Limit limit : List.of(
                    Limit.slidingWindow(5, Duration.ofMinutes(1)),
                    Limit.slidingCounter(5, Duration.ofMinutes(1)),
                    Limit.fixedWindow(5, Duration.ofMinutes(1)),
                    Limit.tokenBucket(5, 5, Duration.ofMinutes(1)))) {
                limits.limiter("api", limit).tryAcquire("alice");
            }
            limits.inFlight("exports", 5).tryAcquire("alice");
            queues.queue("mails", Codec.text()).enqueue("a");
            queues.stream("events", Codec.text()).produce("a");
            run("--redis", redis.url());
            assertThat(output).contains("ok       foreign keys  none under hg:*");
            for (String key : List.of("hg:sw:api:limit:bob", "hg:tb:api:limit:bob", "hg:q:{bills}", "hg:instances")) {
                probe.command("DEL", key);
                probe.command("SET", key, "hello", "PX", "60000");
                run("--redis", redis.url());
                assertThat(output)
                        .contains(
                                "warning  foreign keys  1 value that Headgate did not store, such as \"" + key + "\"");
                probe.command("DEL", key);
            }
            probe.command("HSET", "hg:queues", "mails", "hello");
            run("--redis", redis.url());
            assertThat(output).contains("such as the entry \"mails\" of \"hg:queues\"");
        }
    }

    @Test
    void foreign_entries_are_found_on_every_page_of_names_up_to_a_bound() throws IOException {
        try (RedisServer redis = RedisServer.startOwn();
                RedisProbe probe = RedisProbe.of(redis.url())) {
            String add = "for i = ARGV[1], ARGV[2] do redis.call('HSET', KEYS[1], 'q' .. i, ARGV[3]) end";
            probe.command("EVAL", add, "1", "hg:queues", "1", "3000", "1");
            probe.command("EVAL", add, "1", "hg:queues", "3001", "6000", "hello");
            probe.command("EVAL", add, "1", "hg:streams", "1", "2", "hello");
            run("--redis", redis.url());
            assertThat(output)
                    .contains("warning  foreign keys  3002 values that Headgate did not store, such as the entry \"q")
                    .doesNotContain(", checked: ");

            probe.command("DEL", "hg:queues", "hg:streams");
            probe.command("EVAL", add, "1", "hg:streams", "1", "120000", "1");
            run("--redis", redis.url());
            assertThat(output)
                    .containsPattern(
                            "ok       foreign keys  none under hg:\\*, checked: the first 100\\d{3} entries of \"hg:streams\"");
        }
    }

    @Test
    void the_number_of_examined_keys_is_printed_if_there_are_more() throws IOException {
        try (RedisServer redis = RedisServer.startOwn();
                RedisProbe probe = RedisProbe.of(redis.url())) {
            String add = "for i = 1, 15000 do redis.call('SET', 'hg:fw:api:limit:' .. i, ARGV[1]) end";
            probe.command("EVAL", add, "0", "x".repeat(27));
            run("--redis", redis.url());
            assertThat(output)
                    .containsPattern("ok       foreign keys  none under hg:\\*, checked: the first 10\\d{3} keys,"
                            + " in \\d+ calls of SCAN");
        }
    }

    @Test
    void a_slow_log_of_every_command_is_no_warning() throws IOException {
        try (RedisServer redis = RedisServer.startOwn("--slowlog-log-slower-than", "0");
                RedisProbe probe = RedisProbe.of(redis.url())) {
            probe.command("EVAL", "for i = 1, 1e6 do end", "1", "hg:sw:api:per-user:alice");
            run("--redis", redis.url());
            assertThat(output)
                    .contains(
                            "ok       slow scripts  not known: slowlog-log-slower-than is 0, so the slow log has every"
                                    + " command");
        }
    }

    @Test
    void the_only_entry_of_the_slow_log_is_found() throws IOException {
        try (RedisServer redis = RedisServer.startOwn("--slowlog-log-slower-than", "1000");
                RedisProbe probe = RedisProbe.of(redis.url())) {
            probe.command("EVAL", "for i = 1, 1e6 do end", "1", "hg:sw:api:per-user:alice");
            probe.command("CONFIG", "SET", "slowlog-log-slower-than", "-1");
            run("--redis", redis.url());
            assertThat(output).contains("warning  slow scripts  1 call of Headgate's in the slow log, the slowest ");
        }
    }

    @Test
    void slow_scripts_of_other_programs_are_not_reported() throws IOException {
        try (RedisServer redis = RedisServer.startOwn("--slowlog-log-slower-than", "1000");
                RedisProbe probe = RedisProbe.of(redis.url())) {
            probe.command("EVAL", "for i = 1, 1e6 do end", "1", "hgx:sw:api:per-user:alice");
            probe.command("EVAL", "for i = 1, 1e6 do end", "0", "hg:sw:api:per-user:alice");
            probe.command("CONFIG", "SET", "slowlog-log-slower-than", "-1");
            run("--redis", redis.url());
            assertThat(output).contains("ok       slow scripts  none of Headgate's in the slow log");
        }
    }

    @Test
    void a_redis_that_does_not_reply_or_does_not_exist_is_one_problem() throws IOException {
        try (RedisServer redis = RedisServer.startOwn()) {
            redis.pause();
            assertThat(run("--redis", redis.url(), "--redis-timeout", "300ms")).isEqualTo(1);
            assertThat(output).startsWith("problem  reachable     127.0.0.1:" + redis.port() + " does not reply: ");
            redis.resume();
        }
        assertThat(run("--redis", "redis://127.0.0.1:1")).isEqualTo(1);
        assertThat(output)
                .contains("127.0.0.1:1 does not reply: ")
                .contains("\n1 problem (reachable), 0 warnings, 0 notes, 0 ok\n");
    }

    @Test
    void the_json_has_the_number_of_problems_and_the_findings_with_their_levels() throws IOException {
        try (RedisServer redis = RedisServer.startOwn("--maxmemory", ENOUGH, "--maxmemory-policy", "allkeys-lru")) {
            assertThat(run("--redis", redis.url(), "--json")).isEqualTo(1);
            JsonNode report = Json.MAPPER.readTree(output);
            assertThat(report.get("problems").asInt()).isEqualTo(1);
            assertThat(report.get("findings").findValuesAsText("check")).contains("version", "eviction", "access");
            assertThat(report.get("findings").findValuesAsText("level")).contains("ok", "problem");
        }
    }

    private int run(String... options) {
        DoctorRun run = DoctorRun.of(options);
        output = run.output();
        return run.exitCode();
    }
}
