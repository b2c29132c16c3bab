package io.headgate.redis.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Attributes;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.bans.BanRule;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.limits.Engines;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisCluster;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The audit log in a real Redis. */
@Timeout(180)
class RedisAuditLogIT {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final String CHANGES = "hg:{audit}:changes";
    private static final String EVENTS = "hg:{audit}:events";
    private static final RedisServer REDIS = RedisServer.startOwn();

    private final RedisProbe probe = RedisProbe.of(REDIS.url());
    private final RedisAuditLog log =
            RedisAuditLog.connect(RedisSettings.of(REDIS.url()).withTimeout(LONG));

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
        log.close();
        probe.close();
    }

    private static AuditRecord pause(String target) {
        return AuditRecord.of(AuditAction.QUEUE_PAUSE, "http").withTarget(target);
    }

    private static AuditRecord ban(String target) {
        return AuditRecord.of(AuditAction.BAN_ADD, "http").withTarget(target);
    }

    private static AuditRecord refund(String policy) {
        return AuditRecord.of(AuditAction.LIMIT_REFUND, "http").withTarget(policy);
    }

    private static List<String> targets(List<AuditEntry> entries) {
        return entries.stream().map(entry -> entry.record().target()).toList();
    }

    @Test
    void records_of_all_streams_are_read_in_their_order_page_by_page() {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            log.write(i % 3 == 0 ? refund("t" + i) : i % 3 == 1 ? ban("t" + i) : pause("t" + i));
            all.add("t" + i);
        }

        List<AuditEntry> forward = new ArrayList<>();
        Optional<String> after = Optional.empty();
        for (List<AuditEntry> page = log.after(after, 4); !page.isEmpty(); page = log.after(after, 4)) {
            assertThat(page).hasSizeLessThanOrEqualTo(4);
            forward.addAll(page);
            after = Optional.of(page.get(page.size() - 1).id());
        }
        assertThat(targets(forward)).isEqualTo(all);
        assertThat(targets(log.before(Optional.empty(), 4))).containsExactly("t21", "t22", "t23", "t24");
        assertThat(targets(log.before(Optional.of(forward.get(2).id()), 10))).containsExactly("t0", "t1");
        assertThat(forward).extracting(AuditEntry::id).doesNotHaveDuplicates();
        assertThat(forward).extracting(AuditEntry::time).isSorted();
        assertThat((Long) probe.command("TTL", CHANGES)).isBetween(399L * 86_400, 400L * 86_400);
    }

    @Test
    void records_of_many_writers_at_the_same_time_are_all_there_once() {
        List<CompletionStage<Void>> calls = IntStream.range(0, 500)
                .<CompletionStage<Void>>mapToObj(i -> log.append(List.of(ban("t" + i), refund("t" + i))))
                .toList();
        CompletableFuture.allOf(
                        calls.stream().map(CompletionStage::toCompletableFuture).toArray(CompletableFuture[]::new))
                .join();

        List<String> found = new ArrayList<>(targets(log.after(Optional.empty(), 500)));
        found.addAll(targets(log.before(Optional.empty(), 500)));
        assertThat(found).hasSize(1000);
        assertThat(Collections.frequency(found, "t77")).isEqualTo(2);
    }

    @Test
    void a_flood_of_events_or_of_single_bans_removes_no_changes() {
        log.write(pause("important"));
        for (int i = 0; i < 30; i++) {
            log.append(Collections.nCopies(500, i % 2 == 0 ? refund("api") : ban("user=mallory")))
                    .toCompletableFuture()
                    .join();
        }
        for (int i = 0; i < 10; i++) {
            log.append(Collections.nCopies(500, refund("api")))
                    .toCompletableFuture()
                    .join();
        }

        assertThat((Long) probe.command("XLEN", EVENTS)).isBetween(10_000L, 10_100L);
        assertThat(probe.command("XLEN", "hg:{audit}:items")).isEqualTo(7_500L);
        assertThat(probe.command("XLEN", CHANGES)).isEqualTo(1L);
        assertThat(targets(log.after(Optional.empty(), 1))).containsExactly("important");
    }

    @Test
    void records_stay_in_order_after_the_clock_of_redis_went_back() {
        probe.command("XADD", EVENTS, "99999999999999-7", "action", "limit.refund", "target", "before");
        log.write(pause("after"));

        List<AuditEntry> found = log.after(Optional.empty(), 10);
        assertThat(targets(found)).containsExactly("before", "after");
        assertThat(found.get(1).id()).isEqualTo("99999999999999-8");
    }

    @Test
    void a_key_of_another_program_fails_the_call_and_is_not_changed() {
        probe.command("SET", CHANGES, "foreign");

        assertThatThrownBy(() -> log.write(refund("api")))
                .isInstanceOf(AuditLogException.class)
                .hasMessageStartingWith("append " + CHANGES + ": ");
        assertThat(probe.command("EXISTS", EVENTS)).isEqualTo(0L);
    }

    @Test
    void wrong_arguments_are_refused_before_a_call() {
        assertThatThrownBy(() -> log.after(Optional.of("x"), 1))
                .hasMessage("an id of a record must be like 1732218672100-0, was \"x\"");
        assertThatThrownBy(() -> log.before(Optional.empty(), 501)).hasMessage("max must be from 1 to 500, was 501");
        assertThatThrownBy(() -> log.append(List.of())).hasMessage("records must be 1 to 500, were 0");
    }

    @Test
    void nothing_is_before_the_first_possible_id() {
        log.write(ban("first"));

        assertThat(log.before(Optional.of("0-0"), 10)).isEmpty();
        assertThat(log.before(Optional.of("00-000"), 10)).isEmpty();
        assertThat(log.after(Optional.of("0-0"), 10)).hasSize(1);
    }

    @Test
    void a_log_without_redis_fails_and_does_not_block_for_long() {
        try (RedisAuditLog nowhere =
                RedisAuditLog.connect(RedisSettings.of("redis://127.0.0.1:1").withTimeout(Duration.ofMillis(100)))) {
            assertThatThrownBy(() -> nowhere.write(ban("x"))).isInstanceOf(AuditLogException.class);
        }
    }

    @Test
    void it_works_on_a_cluster() {
        // Without failovers, which would lose a write that no replica has received.
        try (RedisCluster cluster = RedisCluster.start("--cluster-node-timeout", "600000");
                RedisAuditLog there =
                        RedisAuditLog.connect(RedisSettings.of(cluster.url()).withTimeout(LONG))) {
            there.write(ban("one"));
            there.write(refund("two"));
            assertThat(targets(there.after(Optional.empty(), 10))).containsExactly("one", "two");
        }
    }

    private static Policy banning() {
        return Policy.named("login")
                .rule(Rule.of("per-ip", Limit.fixedWindow(1, Duration.ofMinutes(1)), Attributes.IP)
                        .banning(BanRule.after(5, Duration.ofMinutes(10)).lasting(Duration.ofHours(1))))
                .build();
    }

    @Test
    void each_ban_by_a_rule_is_one_record_of_all_engines_together() {
        try (RedisLimitEngine one = Engines.builder(REDIS.url()).build();
                RedisLimitEngine other = Engines.builder(REDIS.url()).build()) {
            List<Limiter> limiters = List.of(one.limiter(banning()), other.limiter(banning()));
            // Many requests at the same time: some are decided in one call, and all of these report the beginning.
            for (String ip : List.of("192.0.2.1", "192.0.2.2", "192.0.2.3")) {
                List<CompletableFuture<?>> requests = new ArrayList<>();
                for (int i = 0; i < 200; i++) {
                    requests.add(limiters.get(i % 2).async().tryAcquire(ip).toCompletableFuture());
                }
                requests.forEach(CompletableFuture::join);
            }
            Await.until("records", LONG, () -> log.after(Optional.empty(), 10).size() >= 3);
        }

        // The engines are closed, so nothing more is written.
        assertThat(log.after(Optional.empty(), 100)).allSatisfy(entry -> {
            assertThat(entry.record().action()).isEqualTo("ban.begin");
            assertThat(entry.record().after()).startsWith("{\"policy\":\"login\",\"rule\":\"per-ip\",\"seconds\":3");
            assertThat(entry.record().count()).isEqualTo(1);
        });
        assertThat(targets(log.after(Optional.empty(), 100)))
                .containsExactlyInAnyOrder("ip=192.0.2.1", "ip=192.0.2.2", "ip=192.0.2.3");
    }

    @Test
    void a_closed_engine_has_written_its_records_and_an_engine_without_them_writes_none() {
        banAndClose(Engines.builder(REDIS.url()).auditBans(false), "192.0.2.250");
        assertThat(probe.command("EXISTS", EVENTS)).isEqualTo(0L);
        AtomicInteger last = new AtomicInteger();
        // The close of an engine waits only half a second for its records, which is too short on a busy machine.
        Await.until("a record that a close has written", LONG, () -> {
            String ip = "192.0.2." + last.incrementAndGet();
            banAndClose(Engines.builder(REDIS.url()), ip);
            return targets(log.before(Optional.empty(), 500)).contains("ip=" + ip);
        });
    }

    private static void banAndClose(RedisLimitEngine.Builder builder, String ip) {
        try (RedisLimitEngine limits = builder.build()) {
            Limiter login = limits.limiter(banning());
            for (int i = 0; i < 10; i++) {
                login.tryAcquire(ip);
            }
        }
    }

    @Test
    void bans_by_a_rule_of_an_update_are_records() {
        try (RedisLimitEngine limits = Engines.builder(REDIS.url()).build()) {
            Limiter login = limits.limiter(Policy.named("login")
                    .rule(banning().rules().get(0).withoutBans())
                    .build());
            login.tryAcquire("192.0.2.1");
            login.update(banning());
            for (int i = 0; i < 10; i++) {
                login.tryAcquire("192.0.2.2");
            }
            Await.until(
                    "the record", LONG, () -> !log.after(Optional.empty(), 10).isEmpty());
        }
        assertThat(targets(log.after(Optional.empty(), 10))).containsExactly("ip=192.0.2.2");
    }
}
