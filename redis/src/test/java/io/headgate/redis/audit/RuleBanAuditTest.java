package io.headgate.redis.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.TimeSource;
import io.headgate.limits.bans.BanRule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RuleBanAuditTest {

    private final AtomicLong micros = new AtomicLong(1_000_000);
    private final List<AuditRecord> written = new ArrayList<>();
    private final AuditBatch batch = new AuditBatch(written::addAll, task -> {}, System::nanoTime);
    private final RuleBanAudit audit = new RuleBanAudit(batch, () -> micros.get() * 1_000);

    private static Rule rule(String name) {
        return Rule.of(name, Limit.fixedWindow(1, Duration.ofSeconds(1)), Attributes.IP)
                .banning(BanRule.after(2, Duration.ofMinutes(1)).lasting(Duration.ofSeconds(10)));
    }

    private Limiter limiter(Rule... rules) {
        TimeSource time = micros::get;
        Policy.Builder policy = Policy.named("login");
        for (Rule one : rules) {
            policy.rule(one);
        }
        return InMemoryLimitEngine.builder().time(time).listener(audit).build().limiter(policy.build());
    }

    private List<AuditRecord> written() {
        batch.flush();
        return written;
    }

    @Test
    void a_ban_is_one_record_and_banned_requests_are_none() {
        Limiter login = limiter(rule("per-ip"));
        for (int i = 0; i < 100; i++) {
            login.tryAcquire("192.0.2.7");
            micros.addAndGet(1_000);
        }

        assertThat(written()).hasSize(1);
        AuditRecord record = written.get(0);
        assertThat(record.action()).isEqualTo("ban.begin");
        assertThat(record.via()).isEqualTo("rule");
        assertThat(record.target()).isEqualTo("ip=192.0.2.7");
        assertThat(record.after()).matches("\\{\"policy\":\"login\",\"rule\":\"per-ip\",\"seconds\":1[01]}");
        assertThat(record.count()).isEqualTo(1);
    }

    @Test
    void requests_that_were_decided_together_begin_one_ban() {
        Limiter login = limiter(rule("per-ip"));
        for (int i = 0; i < 100; i++) {
            login.tryAcquire("192.0.2.7"); // all at the same time, so that each reports the beginning
        }

        assertThat(written()).hasSize(1);
        assertThat(written.get(0).count()).isEqualTo(1);
    }

    @Test
    void a_second_ban_of_the_same_id_is_a_second_record() {
        Limiter login = limiter(rule("per-ip"));
        for (int ban = 0; ban < 2; ban++) {
            for (int i = 0; i < 3; i++) {
                login.tryAcquire("192.0.2.7");
            }
            micros.addAndGet(Duration.ofMinutes(5).toNanos() / 1_000);
        }

        assertThat(written()).extracting(AuditRecord::count).isIn(List.of(1L, 1L), List.of(2L));
    }

    @Test
    void a_ban_in_shadow_mode_is_no_record() {
        Limiter login = limiter(rule("shadow").inShadow(), rule("per-ip").withoutBans());
        for (int i = 0; i < 10; i++) {
            login.tryAcquire("192.0.2.7");
        }

        assertThat(written()).isEmpty();
    }

    @Test
    void a_flood_of_bans_is_counted_for_each_rule_with_its_host() {
        Limiter login = limiter(rule("per-ip"));
        for (int ip = 0; ip < 100; ip++) {
            for (int i = 0; i < 3; i++) {
                login.tryAcquire("192.0.2." + ip);
            }
        }

        assertThat(written()).hasSize(AuditBatch.MAX_DISTINCT + 1);
        AuditRecord others = written.get(AuditBatch.MAX_DISTINCT);
        assertThat(others.count()).isEqualTo(100 - AuditBatch.MAX_DISTINCT);
        assertThat(others.target()).isEmpty();
        assertThat(others.from()).isEqualTo(written.get(0).from());
        assertThat(others.after()).isEqualTo("{\"policy\":\"login\",\"rule\":\"per-ip\"}");
    }
}
