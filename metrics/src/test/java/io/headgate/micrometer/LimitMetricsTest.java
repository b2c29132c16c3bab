package io.headgate.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Hold;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.bans.BanRequest;
import io.headgate.limits.bans.BanTarget;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LimitMetricsTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final InMemoryLimitEngine engine = InMemoryLimitEngine.create();
    private final LimitMetrics metrics = new LimitMetrics(engine);

    @BeforeEach
    void bind() {
        metrics.bindTo(meters);
    }

    @AfterEach
    void close() {
        metrics.close();
        engine.close();
    }

    @Test
    void requests_are_counted_by_policy_outcome_and_basis_but_not_by_id() {
        Limiter logins = engine.limiter("logins", Limit.slidingWindow(2, HOUR));
        for (int i = 0; i < 5; i++) {
            logins.tryAcquire("alice");
        }
        engine.inFlight("exports", 1).tryAcquire("alice");

        assertThat(requests("logins", "allowed", "counted")).isEqualTo(2);
        assertThat(requests("logins", "denied", "counted")).isEqualTo(3);
        assertThat(requests("logins", "failed", "none")).isZero();
        assertThat(requests("exports", "allowed", "counted")).isEqualTo(1);
        assertThat(meters.getMeters())
                .noneMatch(meter -> meter.getId().toString().contains("alice"));
    }

    @Test
    void denials_are_counted_by_each_rule_that_denied_and_apart_in_shadow_mode() {
        Limiter api = engine.limiter(Policy.named("api")
                .rule(Rule.of("per-user", Limit.slidingWindow(1, HOUR), "user"))
                .rule(Rule.of("per-ip", Limit.slidingWindow(2, HOUR), "ip"))
                .rule(Rule.of("planned", Limit.slidingWindow(0, HOUR)).inShadow())
                .build());
        Attributes alice = Attributes.of("user", "alice").with("ip", "192.0.2.1");
        for (int i = 0; i < 3; i++) {
            api.tryAcquire(PermitRequest.of(alice));
        }
        api.tryAcquire(PermitRequest.of(Attributes.of("user", "bob").with("ip", "192.0.2.1")));
        api.tryAcquire(PermitRequest.of(Attributes.of("user", "bob").with("ip", "192.0.2.1")));

        assertThat(denials("api", "per-user", "enforced")).isEqualTo(3);
        assertThat(denials("api", "per-ip", "enforced")).isEqualTo(1);
        assertThat(denials("api", "planned", "shadow")).isEqualTo(5);
    }

    @Test
    void utilization_is_the_largest_used_share_of_any_key() {
        Limiter api = engine.limiter("api", Limit.slidingWindow(10, HOUR));
        api.tryAcquire(PermitRequest.of("alice").withPermits(4));
        api.tryAcquire(PermitRequest.of("bob").withPermits(1));

        assertThat(utilization("api")).isCloseTo(0.4, within(1e-9));
        api.tryAcquire(PermitRequest.of("bob").withPermits(9));
        assertThat(utilization("api")).isEqualTo(1);
    }

    @Test
    void utilization_does_not_include_rules_that_never_deny() {
        engine.limiter(Policy.named("planned")
                        .rule(Rule.of("all", Limit.slidingWindow(1, HOUR)).inShadow())
                        .build())
                .tryAcquire(PermitRequest.of(Attributes.none()));

        assertThat(utilization("planned")).isZero();
    }

    @Test
    void bans_in_force_are_counted_by_kind() {
        engine.bans().add(BanRequest.ban(BanTarget.user("mallory")).because("abuse"));
        engine.limiter(Policy.of("api", Limit.slidingWindow(10, HOUR), "user"))
                .tryAcquire(PermitRequest.of(Attributes.of("user", "mallory")));

        assertThat(meters.get("headgate.bans").tag("kind", "ban").gauge().value())
                .isEqualTo(1);
        assertThat(meters.get("headgate.bans").tag("kind", "exemption").gauge().value())
                .isZero();
        assertThat(requests("api", "denied", "banned")).isEqualTo(1);
    }

    @Test
    void a_ban_of_a_hold_is_no_denial_by_a_rule() {
        InFlightLimiter exports = engine.inFlight(InFlightPolicy.of("exports", 1, "user"));
        exports.tryAcquire(PermitRequest.of(Attributes.of("user", "alice")));
        exports.tryAcquire(PermitRequest.of(Attributes.of("user", "alice")));
        engine.bans().add(BanRequest.ban(BanTarget.user("mallory")));
        exports.tryAcquire(PermitRequest.of(Attributes.of("user", "mallory")));

        assertThat(requests("exports", "denied", "counted")).isEqualTo(1);
        assertThat(requests("exports", "denied", "banned")).isEqualTo(1);
        assertThat(meters.get("headgate.rule.denials").counters())
                .extracting(Counter::count)
                .containsExactly(1.0);
        assertThat(meters.get("headgate.holds.lost").counter().count()).isZero();
    }

    @Test
    void the_load_of_the_engine_is_read_at_each_scrape() {
        Limiter logins = engine.limiter("logins", Limit.slidingWindow(1, HOUR));
        logins.tryAcquire("alice");
        CompletableFuture<Decision> waiting = logins.async()
                .acquire(PermitRequest.of("alice"), HOUR.multipliedBy(2))
                .toCompletableFuture();
        Hold hold = engine.inFlight("exports", 5)
                .tryAcquire(PermitRequest.of("alice").withPermits(3));

        assertThat(meters.get("headgate.requests.waiting").gauge().value()).isEqualTo(1);
        assertThat(meters.get("headgate.permits.held").gauge().value()).isEqualTo(3);
        assertThat(meters.get("headgate.leased.ids").gauge().value()).isZero();
        assertThat(meters.get("headgate.unsynced.ids").gauge().value()).isZero();
        hold.release();
        waiting.cancel(true);
    }

    @Test
    void the_engine_is_kept_for_the_gauges() {
        SimpleMeterRegistry own = new SimpleMeterRegistry();
        new LimitMetrics(InMemoryLimitEngine.create()).bindTo(own);
        System.gc();

        assertThat(own.get("headgate.bans").tag("kind", "ban").gauge().value()).isZero();
        assertThat(own.get("headgate.engine.degraded").gauge().value()).isZero();
    }

    @Test
    void policies_of_the_start_have_meters_before_their_first_request() {
        Limiter logins = engine.limiter("logins", Limit.slidingWindow(2, HOUR));
        SimpleMeterRegistry own = new SimpleMeterRegistry();
        new LimitMetrics(engine).bindTo(own);

        assertThat(own.get("headgate.requests")
                        .tags("policy", "logins", "outcome", "denied")
                        .counter()
                        .count())
                .isZero();
        assertThat(logins.policy().name()).isEqualTo("logins");
    }

    @Test
    void the_metrics_of_10_000_policies_stay_below_5_megabytes() {
        PrometheusMeterRegistry own = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        new LimitMetrics(engine).bindTo(own);
        String longest = "x".repeat(58);
        for (int i = 0; i < 10_000; i++) {
            Policy.Builder policy = Policy.named(longest + "%06d".formatted(i));
            for (int rule = 0; rule < 16; rule++) {
                policy.rule(Rule.of(longest + rule, Limit.slidingWindow(0, HOUR)));
            }
            engine.limiter(policy.build()).tryAcquire(PermitRequest.of(Attributes.none()));
        }

        assertThat(own.scrape()).contains("policy=\"other\"").hasSizeLessThan(5_000_000);
    }

    @Test
    void policies_beyond_the_maximum_share_a_tag() {
        SimpleMeterRegistry few = new SimpleMeterRegistry();
        try (LimitMetrics bounded = new LimitMetrics(engine, Tags.of("cell", "eu"), 3)) {
            bounded.bindTo(few);
            for (int i = 0; i < 5; i++) {
                engine.limiter("policy" + i, Limit.slidingWindow(1, HOUR)).tryAcquire("alice");
            }
        }

        assertThat(few.get("headgate.requests")
                        .tags("policy", "policy2", "outcome", "allowed", "cell", "eu")
                        .counter()
                        .count())
                .isEqualTo(1);
        assertThat(few.get("headgate.requests")
                        .tags("policy", "other", "outcome", "allowed", "cell", "eu")
                        .counter()
                        .count())
                .isEqualTo(2);
        assertThat(few.find("headgate.utilization").gauges()).hasSize(4);
    }

    @Test
    void after_close_nothing_is_counted() {
        Limiter api = engine.limiter("api", Limit.slidingWindow(10, HOUR));
        api.tryAcquire("alice");
        metrics.close();
        api.tryAcquire("alice");

        assertThat(requests("api", "allowed", "counted")).isEqualTo(1);
    }

    @Test
    void a_number_of_policies_out_of_range_is_rejected() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new LimitMetrics(engine, Tags.empty(), 0))
                .withMessage("maxPolicies must be between 1 and 100000, but was 0");
    }

    private double requests(String policy, String outcome, String basis) {
        return meters.get("headgate.requests")
                .tags("policy", policy, "outcome", outcome, "basis", basis)
                .counter()
                .count();
    }

    private double denials(String policy, String rule, String mode) {
        return meters.get("headgate.rule.denials")
                .tags("policy", policy, "rule", rule, "mode", mode)
                .counter()
                .count();
    }

    private double utilization(String policy) {
        return meters.get("headgate.utilization").tag("policy", policy).gauge().value();
    }
}
