package io.headgate.redis.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.redis.RedisSettings;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisCluster;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisSentinels;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.faults.FaultProxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Versions of a configuration in a real Redis. */
@Timeout(180)
class RedisConfigStoreIT {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final String KEY = "hg:config:limits";
    private static final RedisServer REDIS = RedisServer.startOwn();

    private final RedisProbe probe = RedisProbe.of(REDIS.url());
    private final RedisConfigStore store = connect(REDIS.url());

    @AfterAll
    static void stop() {
        REDIS.close();
    }

    @BeforeEach
    void empty() {
        probe.flushAll();
    }

    @AfterEach
    void close() {
        store.close();
        probe.close();
    }

    private static RedisConfigStore connect(String url) {
        return RedisConfigStore.connect(RedisSettings.of(url), "limits");
    }

    private static ConfigDraft draft(String text) {
        return new ConfigDraft(Map.of("limits.yaml", text), "alice", "test of " + text);
    }

    private static String write(RedisConfigStore store, String text) {
        Optional<String> current = store.current().map(ConfigVersion::id);
        ConfigWrite write = store.write(draft(text), current);
        assertThat(write.written()).isTrue();
        return write.current().orElseThrow().id();
    }

    @Test
    void versions_have_numbers_digests_times_authors_and_reasons() {
        assertThat(store.current()).isEmpty();
        assertThat(store.read()).isEmpty();
        assertThat(store.history(100)).isEmpty();
        Instant before = Instant.now();
        String first = write(store, "a: é");
        String second = write(store, "b");
        assertThat(first).isEqualTo("1-" + draft("a: é").digest());
        assertThat(second).isEqualTo("2-" + draft("b").digest());
        assertThat(store.history(100)).extracting(ConfigVersion::id).containsExactly(second, first);
        assertThat(store.history(1)).containsExactly(store.current().orElseThrow());
        StoredConfig found = store.find(first).orElseThrow();
        assertThat(found.texts()).containsExactly("a: é");
        assertThat(found.version().names()).containsExactly("limits.yaml");
        assertThat(found.version().by()).isEqualTo("alice");
        assertThat(found.version().reason()).isEqualTo("test of a: é");
        assertThat(found.version().writtenAt())
                .isBetween(before.minusSeconds(5), Instant.now().plusSeconds(5));
        assertThat(store.find("1")).contains(found);
        assertThat(store.read()).isEqualTo(store.find(second));
    }

    @Test
    void a_version_is_found_only_by_its_own_number_and_digest() {
        String first = write(store, "a");
        assertThat(store.find("2")).isEmpty();
        assertThat(store.find("1-0123456789ab")).isEmpty();
        assertThat(store.find(first)).isPresent();
        for (String wrong : List.of("", "current", "0", "1:1", "1-", "1-a\n", "-1", "1000000000000000")) {
            assertThatThrownBy(() -> store.find(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("a version must be a number such as 17, or an id such as 17-3c9f0b6a41de, was \""
                            + wrong + "\"");
        }
    }

    @Test
    void a_write_that_expects_another_version_changes_nothing_and_returns_the_current_one() {
        assertThat(store.write(draft("a"), Optional.of("1-0123456789ab")))
                .isEqualTo(new ConfigWrite(false, Optional.empty()));
        String first = write(store, "a");
        write(store, "b");
        Optional<ConfigVersion> current = store.current();
        assertThat(store.write(draft("c"), Optional.of(first))).isEqualTo(new ConfigWrite(false, current));
        assertThat(store.write(draft("c"), Optional.empty())).isEqualTo(new ConfigWrite(false, current));
        assertThat(store.current()).isEqualTo(current);
        assertThat(store.history(100)).hasSize(2);
    }

    @Test
    void one_of_concurrent_writes_with_the_same_expectation_is_written() {
        try (RedisConfigStore other = connect(REDIS.url())) {
            for (int round = 0; round < 20; round++) {
                Optional<String> replaces = store.current().map(ConfigVersion::id);
                int number = round;
                List<CompletableFuture<ConfigWrite>> writes = IntStream.range(0, 8)
                        .mapToObj(i -> CompletableFuture.supplyAsync(
                                () -> (i % 2 == 0 ? store : other).write(draft(number + " " + i), replaces)))
                        .toList();
                assertThat(writes.stream().map(CompletableFuture::join).filter(ConfigWrite::written))
                        .hasSize(1);
            }
            assertThat(other.history(100)).hasSize(20);
        }
    }

    @Test
    void the_last_hundred_versions_are_kept_and_nothing_of_earlier_ones() {
        for (int i = 1; i <= 103; i++) {
            write(store, "text " + i);
        }
        assertThat(store.history(100)).hasSize(100);
        assertThat(store.find("3")).isEmpty();
        assertThat(store.find("4").orElseThrow().texts()).containsExactly("text 4");
        assertThat(probe.command("HLEN", KEY)).as("2 for each version, and 3").isEqualTo(203L);
        assertThat(probe.command("HGET", KEY, "bytes"))
                .isEqualTo(String.valueOf(IntStream.rangeClosed(4, 103)
                        .map(i -> ("text " + i).length())
                        .sum()));
    }

    @Test
    void versions_that_are_too_large_together_are_removed_except_for_the_last_two() {
        try (RedisConfigStore small = RedisConfigStore.connect(RedisSettings.of(REDIS.url()), "limits", 100)) {
            write(small, "x".repeat(40));
            write(small, "y".repeat(40));
            assertThat(small.history(100)).hasSize(2);
            write(small, "z".repeat(40));
            assertThat(small.history(100))
                    .extracting(ConfigVersion::reason)
                    .containsExactly("test of " + "z".repeat(40), "test of " + "y".repeat(40));
            write(small, "a".repeat(400));
            write(small, "b".repeat(400));
            assertThat(small.history(100)).hasSize(2);
            assertThat(small.find("4").orElseThrow().texts()).containsExactly("a".repeat(400));
            assertThat(probe.command("HGET", KEY, "bytes")).isEqualTo("800");
        }
    }

    @Test
    void many_and_large_texts_are_stored_in_order() {
        List<String> texts = new ArrayList<>();
        Map<String, String> byName = new LinkedHashMap<>();
        for (int i = 0; i < 1000; i++) {
            texts.add("é".repeat(i * 4));
            byName.put("policies " + (1000 - i), texts.get(i));
        }
        store.write(new ConfigDraft(byName, "alice", "all of it"), Optional.empty());
        StoredConfig read = store.read().orElseThrow();
        assertThat(read.texts()).isEqualTo(texts);
        assertThat(read.version().names()).containsExactlyElementsOf(byName.keySet());
    }

    @Test
    void a_version_is_later_than_the_one_before_even_if_the_clock_has_gone_back() {
        String first = write(store, "a");
        probe.command("HSET", KEY, "1", first + "\n4102444800000000\n1\nalice\ntest\nlimits.yaml");
        write(store, "b");
        assertThat(store.current().orElseThrow().writtenAt()).isEqualTo(Instant.parse("2100-01-01T00:00:00.000001Z"));
    }

    @Test
    void a_value_of_another_program_is_not_changed() {
        probe.command("SET", KEY, "mine");
        assertThatThrownBy(() -> store.write(draft("a"), Optional.empty()))
                .isInstanceOf(ConfigStoreException.class)
                .hasMessageStartingWith(
                        "write hg:config:limits: the key holds something that Headgate did not store; nothing was written")
                .matches(problem -> !((ConfigStoreException) problem).mayBeWritten());
        assertThat(probe.command("GET", KEY)).isEqualTo("mine");
    }

    @Test
    void a_hash_of_another_program_or_with_a_missing_version_is_not_changed() {
        probe.command("HSET", KEY, "user", "alice");
        assertThatThrownBy(() -> store.write(draft("a"), Optional.empty()))
                .hasMessageContaining("the key holds something that Headgate did not store; nothing was written");
        assertThat(probe.command("HLEN", KEY)).isEqualTo(1L);
        probe.flushAll();
        for (int i = 1; i <= 100; i++) {
            write(store, "text " + i);
        }
        probe.command("HDEL", KEY, "1");
        Object fields = probe.command("HLEN", KEY);
        assertThatThrownBy(() -> write(store, "one more"))
                .hasMessageContaining("version 1 of the configuration is missing");
        assertThat(probe.command("HLEN", KEY)).isEqualTo(fields);
        assertThatThrownBy(() -> store.history(100)).hasMessageContaining("version 1 of the configuration is missing");
    }

    @Test
    void names_and_numbers_of_versions_are_checked() {
        for (String wrong : List.of("", "Limits", "a:b", "a".repeat(65))) {
            assertThatThrownBy(() -> RedisConfigStore.connect(RedisSettings.of(REDIS.url()), wrong))
                    .hasMessage("name must be 1 to 64 of a-z 0-9 - and begin with a letter, was \"" + wrong + "\"");
        }
        assertThatThrownBy(() -> store.history(0)).hasMessage("max must be from 1 to 100, was 0");
        assertThatThrownBy(() -> store.history(101)).hasMessage("max must be from 1 to 100, was 101");
    }

    @Test
    void a_closed_store_says_so_and_cannot_be_watched() {
        store.close();
        store.close();
        assertThatThrownBy(store::current).hasMessage("the store of hg:config:limits is closed");
        assertThatThrownBy(() -> store.watch(() -> {})).hasMessage("the store is closed");
    }

    @Test
    void each_change_is_notified_with_and_without_messages() {
        probe.command("ACL SETUSER silent on nopass ~* -@all +@all -publish -subscribe resetchannels".split(" "));
        try (RedisConfigStore quiet = connect(REDIS.url().replace("redis://", "redis://silent:any@"))) {
            List<String> seen = new CopyOnWriteArrayList<>();
            quiet.watch(() -> quiet.current().ifPresent(version -> seen.add(version.id())));
            List<String> notified = new CopyOnWriteArrayList<>();
            store.watch(() -> store.current().ifPresent(version -> notified.add(version.id())));
            assertThatThrownBy(() -> store.watch(() -> {})).hasMessage("the store is watched already");
            try (RedisConfigStore writer = connect(REDIS.url())) {
                for (String text : List.of("a", "b", "c")) {
                    String id = write(writer, text);
                    Await.until("notification", LONG, () -> notified.contains(id) && seen.contains(id));
                }
            }
        }
    }

    @Test
    void instances_report_their_versions_until_they_are_closed() {
        InstanceReport first = report("a:1", "1-0123456789ab", Optional.empty());
        InstanceReport second = report("b:2", "1-0123456789ab", Optional.of("unknown key"));
        assertThat(store.instances()).isEmpty();
        store.watch(() -> {});
        store.report(first);
        try (RedisConfigStore other = connect(REDIS.url())) {
            other.report(report("b:2", "1-0123456789ab", Optional.of("unknown key\nsecond line")));
            other.watch(() -> {});
            awaitInstances(first, second);
            InstanceReport next = report("a:1", "2-0123456789ab", Optional.empty());
            store.report(next);
            awaitInstances(next, second);
            assertThat(probe.command("ZCARD", KEY + ":instances")).isEqualTo(2L);
            assertThat((Long) probe.command("TTL", KEY + ":instances")).isBetween(1L, 20L);
            store.close();
            Await.until("the end", LONG, () -> other.instances().equals(List.of(second)));
        }
        // At once, or if Redis replied late to the close, when the report expires.
        Await.until("no report", LONG, () -> Long.valueOf(0).equals(probe.command("EXISTS", KEY + ":instances")));
    }

    private static InstanceReport report(String name, String version, Optional<String> rejected) {
        return new InstanceReport(name, version, Instant.parse("2026-11-27T10:02:00Z"), rejected, Optional.empty());
    }

    private void awaitInstances(InstanceReport... reports) {
        Await.until("reports", LONG, () -> store.instances().equals(List.of(reports)));
    }

    @Test
    void an_expired_report_is_not_returned_and_a_later_one_of_the_same_instance_counts() {
        probe.command("ZADD", KEY + ":instances", "1", "id\nold:1\n1-0123456789ab\n0\n");
        assertThat(store.instances()).isEmpty();
        probe.command("ZADD", KEY + ":instances", "99999999998", "id\na:1\n1-0123456789ab\n0\n");
        probe.command("ZADD", KEY + ":instances", "99999999999", "id\na:1\n2-0123456789ab\n0\n");
        assertThat(store.instances())
                .containsExactly(
                        new InstanceReport("a:1", "2-0123456789ab", Instant.EPOCH, Optional.empty(), Optional.empty()));
    }

    @Test
    void an_outage_and_its_end_are_notified() {
        try (RedisServer own = RedisServer.startOwn();
                RedisConfigStore watched = connect(own.url())) {
            write(watched, "a");
            AtomicInteger failures = new AtomicInteger();
            AtomicInteger replies = new AtomicInteger();
            watched.watch(() -> {
                try {
                    watched.current();
                    replies.incrementAndGet();
                } catch (ConfigStoreException e) {
                    failures.incrementAndGet();
                }
            });
            Await.until("the first notification", LONG, () -> replies.get() > 0);
            own.kill();
            Await.until("a notification of the outage", LONG, () -> failures.get() > 0);
            int before = replies.get();
            own.restart();
            Await.until("a notification of its end", LONG, () -> replies.get() > before);
            assertThat(watched.current()).as("this Redis has no files").isEmpty();
        }
    }

    @Test
    void connections_that_carry_nothing_are_noticed_and_replaced() {
        try (FaultProxy proxy = FaultProxy.before(REDIS.url());
                RedisConfigStore behind = connect(proxy.url())) {
            String first = write(store, "a");
            List<String> notified = new CopyOnWriteArrayList<>();
            behind.watch(() -> notified.add(currentOr(behind, "no reply")));
            Await.until("the version", LONG, () -> notified.contains(first));
            proxy.blackHole();
            Await.until("the outage", LONG, () -> notified.contains("no reply"));
            String second = write(store, "b");
            proxy.resume();
            Await.until("the version of the outage", LONG, () -> notified.contains(second));
        }
    }

    private static String currentOr(RedisConfigStore store, String other) {
        try {
            return store.current().map(ConfigVersion::id).orElse(other);
        } catch (ConfigStoreException e) {
            return other;
        }
    }

    @Test
    void a_redis_that_does_not_reply_fails_calls_and_a_write_may_have_been_done() {
        try (RedisServer own = RedisServer.startOwn();
                RedisConfigStore slow = connect(own.url())) {
            write(slow, "a");
            own.pause();
            assertThatThrownBy(slow::current)
                    .isInstanceOf(ConfigStoreException.class)
                    .matches(problem -> !((ConfigStoreException) problem).mayBeWritten());
            own.resume();
            Await.until("replies", LONG, () -> !currentOr(slow, "none").equals("none"));
            Optional<String> current = slow.currentId();
            own.pause();
            assertThatThrownBy(() -> slow.write(draft("b"), current))
                    .isInstanceOf(ConfigStoreException.class)
                    .matches(problem -> ((ConfigStoreException) problem).mayBeWritten())
                    .hasMessageEndingWith("; the version may have been written");
            own.resume();
        }
    }

    @Test
    void versions_survive_a_failover_of_sentinels() {
        try (RedisSentinels sentinels = RedisSentinels.start();
                RedisConfigStore watched = connect(sentinels.url())) {
            String first = write(watched, "a");
            RedisServer primary = sentinels.primary();
            Await.until("the replicas to have the version", LONG, () -> sentinels.servers().stream()
                    .allMatch(RedisConfigStoreIT::hasVersions));
            primary.kill();
            sentinels.awaitPromotion(primary, LONG);
            Await.until("the version of the replica", LONG, () -> isCurrent(watched, first));
            assertThat(write(watched, "b")).startsWith("2-");
        }
    }

    private static boolean hasVersions(RedisServer server) {
        try (RedisProbe probe = RedisProbe.of(server.url())) {
            return Long.valueOf(1).equals(probe.command("EXISTS", KEY));
        }
    }

    @Test
    void versions_are_stored_and_notified_on_a_cluster_also_after_a_failover() {
        // Without any other failover, which would lose a write that no replica has received.
        try (RedisCluster cluster = RedisCluster.start("--cluster-node-timeout", "600000");
                RedisConfigStore writer = connect(cluster.url());
                RedisConfigStore watched = connect(cluster.url())) {
            List<String> notified = new CopyOnWriteArrayList<>();
            watched.watch(() -> watched.current().ifPresent(version -> notified.add(version.id())));
            String first = write(writer, "a");
            Await.until("notification", LONG, () -> notified.contains(first));
            cluster.failOver(cluster.slotOf(KEY));
            String second = write(writer, "b");
            Await.until("notification", LONG, () -> notified.contains(second));
            assertThat(watched.find(first).orElseThrow().texts()).containsExactly("a");
        }
    }

    private static boolean isCurrent(RedisConfigStore store, String id) {
        return currentOr(store, "none").equals(id);
    }

    @Test
    void a_shadow_version_that_is_written_again_has_another_id_and_a_removed_one_leaves_only_its_number() {
        ConfigShadow shadow = store.shadow();
        String first = shadow.write(draft("a"), Optional.empty())
                .current()
                .orElseThrow()
                .id();
        String second = shadow.write(draft("b"), Optional.of(first))
                .current()
                .orElseThrow()
                .id();
        assertThat(shadow.remove(first)).isFalse();
        assertThat(shadow.remove(second)).isTrue();
        assertThat(shadow.remove(second)).isFalse();
        assertThat(shadow.current()).isEmpty();
        assertThat(shadow.read()).isEmpty();
        assertThat(probe.command("HGETALL", KEY + ":shadow")).isEqualTo(List.of("removed", "2"));
        String third = shadow.write(draft("a"), Optional.empty())
                .current()
                .orElseThrow()
                .id();
        assertThat(third).isEqualTo("3-" + draft("a").digest());
        assertThat(shadow.remove(third)).isTrue();
        assertThat(probe.command("HGETALL", KEY + ":shadow")).isEqualTo(List.of("removed", "3"));
    }

    @Test
    void changes_and_reports_continue_while_the_key_of_the_shadow_version_holds_another_value() {
        List<Optional<String>> seen = new CopyOnWriteArrayList<>();
        store.watch(() -> seen.add(store.currentId()));
        probe.command("SET", KEY + ":shadow", "another program");
        store.report(report("a:1", "1-0123456789ab", Optional.empty()));
        // The first change may be seen when the watch starts. All are seen when it notifies every 5 seconds in any
        // case,
        // and then the next attempt begins right after that.
        boolean isSooner = false;
        for (int attempt = 0; !isSooner && attempt < 10; attempt++) {
            String id = write(store, "a" + attempt);
            long start = System.nanoTime();
            Await.until("change", LONG, () -> seen.contains(Optional.of(id)));
            isSooner = attempt > 1
                    && System.nanoTime() - start < Duration.ofSeconds(4).toNanos();
        }
        assertThat(isSooner).isTrue();
        Await.until("report", LONG, () -> store.instances().size() == 1);
        assertThatThrownBy(() -> store.shadow().currentId()).isInstanceOf(ConfigStoreException.class);
    }

    @Test
    void previews_are_read_apart_up_to_8_mb_and_large_ones_are_written_every_five_seconds() {
        store.watch(() -> {});
        report("x");
        Await.until("preview", LONG, () -> previews().equals(List.of("x")));
        assertThat(store.instances()).singleElement().satisfies(one -> assertThat(one.preview())
                .isEmpty());
        report("y".repeat(100_000));
        Await.until("large preview", LONG, () -> previews().get(0).startsWith("y"));
        long before = probe.commandCalls().getOrDefault("ZADD", 0L);
        for (int i = 0; i < 50; i++) {
            report("z".repeat(100_000) + i);
            store.currentId();
        }
        Await.until("last preview", LONG, () -> previews().get(0).endsWith("z49"));
        assertThat(probe.commandCalls().getOrDefault("ZADD", 0L) - before).isLessThan(20);
        for (int i = 0; i < 20; i++) {
            probe.command("ZADD", KEY + ":previews", "99999999999", "id-" + i + "\n" + "p".repeat(500_000));
            probe.command("ZADD", KEY + ":instances", "99999999999", "id-" + i + "\nb:" + i + "\n1-a\n0\n");
        }
        assertThat(previews()).hasSize(17);
        assertThat(store.previews()).hasSize(21);
    }

    private void report(String preview) {
        store.report(
                new InstanceReport("a:1", "1-0123456789ab", Instant.EPOCH, Optional.empty(), Optional.of(preview)));
    }

    private List<String> previews() {
        return store.previews().stream().flatMap(one -> one.preview().stream()).toList();
    }
}
