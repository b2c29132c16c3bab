package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Fallback;
import io.headgate.limits.Health;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.bans.BanRule;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.audit.AuditEntry;
import io.headgate.redis.audit.RedisAuditLog;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.faults.FaultProxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Records of bans by rules while Redis, or the audit log in it, does not work. */
@Timeout(180)
class RuleBanRecordsIT {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final String EVENTS = "hg:{audit}:events";

    private final RedisServer redis = RedisServer.startOwn();
    private final RedisProbe probe = RedisProbe.of(redis.url());
    private final FaultProxy proxy = FaultProxy.before(redis.url());
    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private final Logger logger = Logger.getLogger(RuleBanRecords.class.getName());
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            warnings.add(record.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
    }

    @AfterEach
    void stop() {
        logger.removeHandler(handler);
        proxy.close();
        probe.close();
        redis.close();
    }

    private static Policy banning() {
        return Policy.named("login")
                .rule(Rule.of("per-ip", Limit.slidingWindow(1, Duration.ofHours(1)), Attributes.IP)
                        .banning(BanRule.after(5, Duration.ofMinutes(10)).lasting(Duration.ofHours(1))))
                .build();
    }

    private static void ban(Limiter login, String ip) {
        for (int i = 0; i < 10; i++) {
            login.tryAcquire(ip);
        }
        assertThat(login.peek(ip).rules().get(0).bannedFor()).isPresent();
    }

    private List<String> targets() {
        try (RedisAuditLog log =
                RedisAuditLog.connect(RedisSettings.of(redis.url()).withTimeout(LONG))) {
            return log.after(Optional.empty(), 10).stream()
                    .map(AuditEntry::record)
                    .map(record -> record.target())
                    .toList();
        }
    }

    @Test
    void a_record_that_cannot_be_written_changes_no_decision_and_is_no_foreign_key_of_a_limit() {
        probe.command("SET", EVENTS, "foreign");
        // A fallback that decides only if a call fails, not if it takes long.
        try (RedisLimitEngine limits = RedisLimitEngine.builder(Engines.settings(redis.url()))
                .fallback(Fallback.local().within(LONG))
                .build()) {
            Limiter login = limits.limiter(banning());
            ban(login, "192.0.2.1");
            Await.until("the warning", LONG, () -> warnings.size() == 1);
            assertThat(warnings.get(0)).startsWith("bans by rules are missing in the audit log: ");

            Decision next = login.tryAcquire("192.0.2.2");
            assertThat(next.allowed()).isTrue();
            assertThat(next.basis()).isEqualTo(Decision.Basis.COUNTED);
            assertThat(login.tryAcquire("192.0.2.2").denied()).isTrue();
            assertThat(limits.health()).isEqualTo(Health.HEALTHY);
            assertThat(limits.foreignKey()).isEmpty();

            // A failure is reported once, until a write succeeds.
            ban(login, "192.0.2.3");
            probe.command("DEL", EVENTS);
            Await.until("the next record", LONG, () -> {
                ban(login, "198.51.100." + System.nanoTime() % 250);
                return !targets().isEmpty();
            });
            assertThat(warnings).hasSize(1);
        }
    }

    @Test
    void a_ban_in_a_call_with_a_late_reply_is_a_record() {
        try (RedisLimitEngine limits = RedisLimitEngine.builder(
                        RedisSettings.of(proxy.url()).withTimeout(Duration.ofMillis(300)))
                .maxCachedDenials(0)
                .leastSilence(LONG)
                .build()) {
            Limiter login = limits.limiter(banning());
            try (RedisLimitEngine other =
                    Engines.builder(redis.url()).maxCachedDenials(0).build()) {
                for (int i = 0; i < 5; i++) {
                    other.limiter(banning()).tryAcquire("192.0.2.7");
                }
            }
            assertThat(targets()).isEmpty();
            Await.until("a decision of Redis", LONG, () -> isOfStore(login.tryAcquire("192.0.2.8")));
            proxy.holdReplies();
            assertThat(isOfStore(login.tryAcquire("192.0.2.7"))).isFalse();
            proxy.releaseReplies();
            proxy.resume();

            Await.until("the record", LONG, () -> targets().contains("ip=192.0.2.7"));
        }
    }

    @Test
    void an_outage_of_redis_delays_no_decision_for_a_record() {
        try (RedisLimitEngine limits = RedisLimitEngine.connect(proxy.url())) {
            Limiter login = limits.limiter(banning());
            awaitRecord(login, "192.0.2.1");
            proxy.blackHole();
            Await.until("the outage", LONG, () -> {
                login.tryAcquire("192.0.2.5");
                return limits.health() == Health.DEGRADED;
            });
            assertThat(isOfStore(login.tryAcquire("192.0.2.6"))).isFalse();
            proxy.resume();

            Await.until("the recovery", LONG, () -> isOfStore(login.tryAcquire("192.0.2.8")));
            awaitRecord(login, "192.0.2.9");
        }
    }

    /** Sends requests until the record of their ban is written: on a busy machine, the fallback decides some of them. */
    private void awaitRecord(Limiter login, String ip) {
        Await.until("the record of " + ip, LONG, () -> {
            login.tryAcquire(ip);
            return targets().contains("ip=" + ip);
        });
    }

    private static boolean isOfStore(Decision decision) {
        return decision.basis() == Decision.Basis.COUNTED;
    }
}
