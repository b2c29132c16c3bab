package io.headgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Decision;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class DecisionsTest {

    private static final Policy API = Policy.named("api")
            .rule(Rule.of("global", Limit.slidingWindow(1000, Duration.ofMinutes(1))))
            .rule(Rule.of("per-user", Limit.slidingWindow(5, Duration.ofMinutes(1)), "user"))
            .rule(Rule.of("trial", Limit.slidingWindow(1, Duration.ofMinutes(1)))
                    .inShadow())
            .build();

    @Test
    void an_allowed_decision_has_the_remaining_permits_that_a_test_sets() {
        Decision allowed = Decisions.allowed(API).remaining("per-user", 3).build();
        assertThat(allowed.allowed()).isTrue();
        assertThat(allowed.remaining()).isEqualTo(3);
        assertThat(allowed.charged()).isEqualTo(1);
        assertThat(allowed.decisive().orElseThrow().rule().name()).isEqualTo("per-user");
        assertThat(allowed.rules()).hasSize(3);
        Policy one = Policy.of("one", Limit.slidingWindow(5, Duration.ofMinutes(1)));
        assertThat(Decisions.allowed(one).remaining(3).build().remaining()).isEqualTo(3);
        assertThat(Decisions.allowed(one).build().remaining()).isEqualTo(4);
        assertThatThrownBy(() -> Decisions.allowed(one).remaining(6))
                .hasMessage("remaining must be from 0 to 5, but was 6");
    }

    @Test
    void a_denied_decision_names_the_rule_and_the_wait() {
        Decision denied = Decisions.denied(API, "per-user")
                .retryAfter(Duration.ofSeconds(30))
                .build();
        assertThat(denied.denied()).isTrue();
        assertThat(denied.deniedBy()).contains("per-user");
        assertThat(denied.retryAfter()).contains(Duration.ofSeconds(30));
        assertThat(denied.charged()).isZero();
        Decision both = Decisions.denied(API, "per-user")
                .alsoDeniedBy("global", Duration.ofSeconds(5))
                .deniedInShadow("trial")
                .build();
        assertThat(both.deniedBy()).contains("global");
        assertThat(both.deniedInShadow()).containsExactly("trial");
        assertThat(Decisions.denied(API, "per-user").notRetryable().build().retryAfter())
                .isEmpty();
    }

    @Test
    void values_that_no_decision_can_have_are_rejected() {
        assertThatThrownBy(() -> Decisions.denied(API, "unknown")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Decisions.denied(API, "trial"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("rule trial is in shadow mode and never denies a request; use deniedInShadow");
        assertThatThrownBy(() -> Decisions.denied(API, "per-user").alsoDeniedBy("trial", Duration.ofSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("rule trial is in shadow mode and never denies a request; use deniedInShadow");
        assertThatThrownBy(() -> Decisions.denied(API, "per-user").deniedInShadow("global"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("rule global is not in shadow mode; use denied or alsoDeniedBy");
        assertThatThrownBy(() -> Decisions.allowed(API).retryAfter(Duration.ofSeconds(1)))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> Decisions.denied(API, "global").delay(Duration.ofSeconds(1)))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> Decisions.allowed(API).basis(Decision.Basis.CACHED_DENIAL))
                .hasMessage("an allowed decision with rules can't have the basis CACHED_DENIAL;"
                        + " use one of [COUNTED, LEASED, LOCAL_SHARE]");
        assertThatThrownBy(() -> Decisions.denied(API, "global").basis(Decision.Basis.OPEN))
                .hasMessage("a denied decision with rules can't have the basis OPEN;"
                        + " use one of [COUNTED, CACHED_DENIAL, LOCAL_SHARE]");
    }

    @Test
    void a_decision_has_the_basis_that_a_test_sets() {
        assertThat(Decisions.allowed(API)
                        .basis(Decision.Basis.LEASED)
                        .permits(2)
                        .build()
                        .basis())
                .isEqualTo(Decision.Basis.LEASED);
        Decision cached = Decisions.denied(API, "per-user")
                .basis(Decision.Basis.CACHED_DENIAL)
                .build();
        assertThat(cached.basis()).isEqualTo(Decision.Basis.CACHED_DENIAL);
        assertThat(cached.rules()).hasSize(1);
        Decision byShare = Decisions.allowed(API)
                .basis(Decision.Basis.LOCAL_SHARE)
                .at(Instant.EPOCH)
                .build();
        assertThat(byShare.basis()).isEqualTo(Decision.Basis.LOCAL_SHARE);
        assertThat(byShare.decidedAt()).isEqualTo(Instant.EPOCH);
    }

    @Test
    void without_redis_a_decision_may_have_no_rules() {
        Decision open = Decisions.open(API);
        assertThat(open.allowed()).isTrue();
        assertThat(open.basis()).isEqualTo(Decision.Basis.OPEN);
        Decision closed = Decisions.closed(API, Duration.ofSeconds(1));
        assertThat(closed.basis()).isEqualTo(Decision.Basis.CLOSED);
        assertThat(closed.retryAfter()).contains(Duration.ofSeconds(1));
        assertThat(closed.deniedBy()).isEmpty();
        assertThat(closed.decisive()).isEmpty();
        assertThat(closed.limit()).isZero();
        assertThat(closed.remaining()).isZero();
        assertThat(closed.resetAfter()).isZero();
    }

    @Test
    void a_limiter_accepts_a_built_decision_for_a_refund() {
        try (InMemoryLimitEngine limits = InMemoryLimitEngine.create()) {
            Policy one = Policy.of("one", Limit.slidingWindow(5, Duration.ofMinutes(1)), "user");
            Decision old = Decisions.allowed(one).at(Instant.EPOCH).build();
            assertThat(limits.limiter(one).refund("alice", old)).isZero();
        }
    }
}
