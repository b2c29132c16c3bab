package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.hotkeys.HotKey;
import io.headgate.limits.hotkeys.HotKeys;
import io.headgate.limits.hotkeys.KeyCounts;
import io.headgate.limits.hotkeys.TopKeys;
import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.redis.limits.internal.planner.Scripts;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.faults.FaultProxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Hot keys of several instances are merged in Redis. */
@Timeout(60)
class RedisHotKeysIT {

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private static final Policy POLICY = Policy.named("api")
            .rule("per-user", Limit.slidingWindow(2, Duration.ofMinutes(10)), "user")
            .build();

    private final RedisProbe probe = redis.probe;

    @Test
    void the_reports_of_all_instances_are_merged() throws Exception {
        try (RedisLimitEngine one = counting();
                RedisLimitEngine other = counting()) {
            acquire(one, "alice", 5);
            acquire(one, "bob", 1);
            acquire(other, "alice", 3);
            write(one);
            write(other);
            TopKeys top = top(one, "api");
            assertThat(top.requested())
                    .isEqualTo(new KeyCounts(
                            9,
                            0,
                            List.of(
                                    new HotKey("per-user", List.of("alice"), 8, 0),
                                    new HotKey("per-user", List.of("bob"), 1, 0))));
            // Two of alice's requests were admitted; the others were denied, most of them from the cache.
            assertThat(top.denied())
                    .isEqualTo(new KeyCounts(6, 0, List.of(new HotKey("per-user", List.of("alice"), 6, 0))));
            assertThat(get(other.hotKeys().top())).containsExactly(top);
            assertThat(top.from()).isBetween(Instant.now().minusSeconds(125), Instant.now());
        }
    }

    @Test
    void a_report_replaces_the_last_one_of_the_instance_and_is_only_written_if_it_changed() throws Exception {
        long before = probe.commandCalls().getOrDefault("HSET", 0L);
        try (RedisLimitEngine limits = counting()) {
            acquire(limits, "alice", 1);
            write(limits);
            write(limits);
            acquire(limits, "alice", 1);
            write(limits);
            assertThat(top(limits, "api").requested().total()).isEqualTo(2);
            assertThat(probe.commandCalls().getOrDefault("HSET", 0L) - before).isEqualTo(2);
        }
    }

    @Test
    void reports_are_written_periodically() {
        try (RedisLimitEngine limits = Engines.builder(redis.url())
                .hotKeys(HotKeys.create())
                .hotKeysInterval(Duration.ofMillis(100))
                .build()) {
            acquire(limits, "alice", 1);
            Await.until(
                    "the report",
                    Duration.ofSeconds(20),
                    () -> top(limits, "api").requested().total() == 1);
        }
    }

    @Test
    void the_reports_of_an_instance_expire() throws Exception {
        try (RedisLimitEngine limits = counting()) {
            acquire(limits, "alice", 1);
            write(limits);
            assertThat(probe.keysWithoutExpiry("*")).isEmpty();
            List<?> keys = (List<?>) probe.command("KEYS", "hg:{hot}*");
            assertThat(keys).hasSizeBetween(2, 3).allSatisfy(key -> assertThat(
                            (Long) probe.command("PTTL", String.valueOf(key)))
                    .isBetween(1L, 180_000L));
        }
    }

    @Test
    void instances_and_policies_are_bounded() throws Exception {
        try (RedisLimitEngine limits = counting()) {
            String minute = Long.toString(Instant.now().getEpochSecond() / 60);
            for (int i = 0; i < 101; i++) {
                putReport(limits, "hg:{hot}:" + minute + ":api", "instance-" + i, "api", minute);
            }
            putReport(limits, "hg:{hot}:" + minute + ":api", "instance-7", "api", minute);
            assertThat(probe.command("HLEN", "hg:{hot}:" + minute + ":api")).isEqualTo(100L);
            for (int i = 0; i < 1001; i++) {
                putReport(limits, "hg:{hot}:" + minute + ":p" + i, "one", "p" + i, minute);
            }
            assertThat(probe.command("ZCARD", "hg:{hot}")).isEqualTo(1000L);
        }
    }

    @Test
    void old_policies_are_removed_and_a_late_report_makes_no_policy_older() throws Exception {
        try (RedisLimitEngine limits = counting()) {
            long minute = Instant.now().getEpochSecond() / 60;
            putReport(limits, "hg:{hot}:1:old", "one", "old", Long.toString(minute - 4));
            putReport(limits, "hg:{hot}:2:api", "one", "api", Long.toString(minute + 1));
            putReport(limits, "hg:{hot}:3:api", "one", "api", Long.toString(minute - 1));
            assertThat(probe.command("ZRANGE", "hg:{hot}", "0", "-1", "WITHSCORES"))
                    .asString()
                    .isEqualTo("[api, " + (minute + 1) + "]");
            assertThat(get(limits.hotKeys().top())).extracting(TopKeys::policy).containsExactly("api");
        }
    }

    @Test
    void a_policy_without_reports_has_no_hot_keys() throws Exception {
        try (RedisLimitEngine limits = redis.limits().build()) {
            assertThat(top(limits, "api").requested()).isEqualTo(new KeyCounts(0, 0, List.of()));
            assertThat(get(limits.hotKeys().top())).isEmpty();
        }
    }

    @Test
    void a_failed_write_fails_no_decision_and_a_later_one_reports_its_counts() throws Exception {
        try (FaultProxy proxy = FaultProxy.before(redis.url());
                RedisLimitEngine limits = Engines.builder(proxy.url())
                        .hotKeys(HotKeys.create())
                        .hotKeysInterval(Duration.ofMinutes(1))
                        .build()) {
            Limiter limiter = limits.limiter(POLICY);
            assertThat(limiter.tryAcquire("alice").allowed()).isTrue();
            probe.command("SET", "hg:{hot}", "of another type", "PX", "60000");
            assertThatThrownBy(() -> write(limits)).hasMessageContaining("WRONGTYPE");
            assertThat(limiter.tryAcquire("alice").allowed()).isTrue();
            probe.command("DEL", "hg:{hot}");
            proxy.cutAll();
            limits.writeHotKeys();
            Await.until("the connection", Duration.ofSeconds(20), () -> isAnswered(limits));
            write(limits);
            assertThat(top(limits, "api").requested().total()).isEqualTo(2);
        }
    }

    @Test
    void the_interval_of_reports_is_bounded() {
        assertThatThrownBy(() -> Engines.builder("redis://localhost").hotKeysInterval(Duration.ofMillis(99)))
                .hasMessage("hotKeysInterval must be from 100 ms to 1 minute, was PT0.099S");
        assertThatThrownBy(() -> Engines.builder("redis://localhost").hotKeysInterval(Duration.ofSeconds(61)))
                .hasMessageStartingWith("hotKeysInterval must be");
    }

    /** An engine that counts hot keys. Its interval is so long that only the test writes reports. */
    private RedisLimitEngine counting() {
        return Engines.builder(redis.url())
                .hotKeys(HotKeys.create())
                .hotKeysInterval(Duration.ofMinutes(1))
                .build();
    }

    private static void acquire(RedisLimitEngine limits, String user, int times) {
        Limiter limiter = limits.limiter(POLICY);
        for (int i = 0; i < times; i++) {
            Decision decision = limiter.tryAcquire(user);
            assertThat(decision.rules()).extracting(RuleDecision::rule).containsExactlyElementsOf(POLICY.rules());
        }
    }

    private static void putReport(RedisLimitEngine limits, String key, String instance, String policy, String minute)
            throws Exception {
        // The instance, its report, which is empty, the policy, and the minute.
        byte[][] arguments = {ascii(instance), new byte[0], ascii(policy), ascii(minute)};
        get(limits.execute(new ScriptCall<>(
                new Scripts(false).putHotKeys(), new String[] {key, "hg:{hot}"}, arguments, reply -> reply)));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static void write(RedisLimitEngine limits) throws Exception {
        get(limits.writeHotKeys());
    }

    private static TopKeys top(RedisLimitEngine limits, String policy) {
        return limits.hotKeys().top(policy).toCompletableFuture().join();
    }

    private static boolean isAnswered(RedisLimitEngine limits) {
        try {
            get(limits.ping());
            return true;
        } catch (Exception e) {
            return false;
        }
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
    }
}
