package io.headgate.testkit.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LimitModelTest {

    private static final long SECOND = 1_000_000;
    private static final Attributes ALICE = Attributes.of("user", "alice");

    private final LimitModel model = new LimitModel();

    @Test
    void a_clock_aligned_window_starts_at_a_multiple_of_its_length() {
        Limit limit = Limit.fixedWindow(10, Duration.ofSeconds(10));
        acquire(limit, 4, 13 * SECOND, "allowed, limit 10, remaining 6, reset after PT7S");
        acquire(limit, 7, 19 * SECOND, "denied, limit 10, remaining 6, retry after PT1S, reset after PT1S");
        acquire(limit, 7, 20 * SECOND, "allowed, limit 10, remaining 3, reset after PT10S");
    }

    @Test
    void a_window_from_the_first_request_starts_with_it() {
        Limit limit = Limit.fixedWindow(10, Duration.ofSeconds(10)).fromFirstRequest();
        acquire(limit, 4, 13 * SECOND, "allowed, limit 10, remaining 6, reset after PT10S");
        acquire(limit, 7, 22 * SECOND, "denied, limit 10, remaining 6, retry after PT1S, reset after PT1S");
        acquire(limit, 7, 23 * SECOND, "allowed, limit 10, remaining 3, reset after PT10S");
    }

    @Test
    void a_permit_leaves_a_sliding_window_when_it_is_as_old_as_the_window() {
        Limit limit = Limit.slidingWindow(3, Duration.ofSeconds(10));
        acquire(limit, 1, 11 * SECOND, "allowed, limit 3, remaining 2, reset after PT10S");
        acquire(limit, 2, 14 * SECOND, "allowed, limit 3, remaining 0, reset after PT10S");
        acquire(limit, 1, 15 * SECOND, "denied, limit 3, remaining 0, retry after PT6S, reset after PT9S");
        acquire(limit, 2, 15 * SECOND, "denied, limit 3, remaining 0, retry after PT9S, reset after PT9S");
        acquire(limit, 1, 21 * SECOND, "allowed, limit 3, remaining 0, reset after PT10S");
    }

    @Test
    void a_limit_that_shrinks_and_grows_forgets_nothing() {
        Duration minute = Duration.ofMinutes(1);
        acquire(
                Limit.slidingWindow(100, minute),
                90,
                61 * SECOND,
                "allowed, limit 100, remaining 10, reset after PT1M");
        acquire(
                Limit.slidingWindow(10, minute),
                1,
                62 * SECOND,
                "denied, limit 10, remaining 0, retry after PT59S, reset after PT59S");
        acquire(Limit.slidingWindow(100, minute), 10, 63 * SECOND, "allowed, limit 100, remaining 0, reset after PT1M");
    }

    @Test
    void a_bucket_is_refilled_evenly() {
        Limit limit = Limit.tokenBucket(2, 3, Duration.ofSeconds(1));
        acquire(limit, 2, SECOND, "allowed, limit 2, remaining 0, reset after PT0.666667S");
        acquire(
                limit,
                1,
                SECOND + 333_333,
                "denied, limit 2, remaining 0, retry after PT0.000001S, reset after PT0.333334S");
        acquire(limit, 1, SECOND + 333_334, "allowed, limit 2, remaining 0, reset after PT0.666666S");
    }

    @Test
    void time_stands_still_for_a_key_while_the_clock_is_behind_it() {
        Limit limit = Limit.tokenBucket(1, 1, Duration.ofSeconds(1));
        acquire(limit, 1, 10 * SECOND, "allowed, limit 1, remaining 0, reset after PT1S");
        acquire(limit, 1, 7 * SECOND, "denied, limit 1, remaining 0, retry after PT4S, reset after PT4S");
    }

    @Test
    void all_rules_are_charged_or_none() {
        Policy policy = Policy.named("both")
                .rule("all", Limit.slidingWindow(5, Duration.ofSeconds(1)))
                .rule("user", Limit.slidingWindow(1, Duration.ofSeconds(1)), "user")
                .build();
        assertThat(model.tryAcquire(policy, ALICE, 1, SECOND).allowed()).isTrue();
        assertThat(model.tryAcquire(policy, ALICE, 1, SECOND).deniedBy()).contains("user");
        assertThat(model.peek(policy, ALICE, 1, SECOND).rules().get(0).remaining())
                .isEqualTo(4);
    }

    @Test
    void a_rule_whose_limit_an_attempt_uses_up_has_allowed_that_request() {
        Policy policy = Policy.named("both")
                .rule(Rule.of("user", Limit.slidingWindow(1, Duration.ofSeconds(1)), "user")
                        .countingAttempts())
                .rule("all", Limit.slidingWindow(0, Duration.ofSeconds(1)))
                .build();
        Decision decision = model.tryAcquire(policy, ALICE, 1, SECOND);
        assertThat(decision.rules()).extracting(RuleDecision::allowed).containsExactly(true, false);
        assertThat(model.tryAcquire(policy, ALICE, 1, SECOND).rules())
                .extracting(RuleDecision::allowed)
                .containsExactly(false, false);
    }

    @Test
    void a_reset_returns_whether_anything_was_counted() {
        Policy policy = Policy.of("reset", Limit.fixedWindow(1, Duration.ofSeconds(1)), "user");
        assertThat(model.tryAcquire(policy, ALICE, 2, SECOND).denied()).isTrue();
        assertThat(model.reset(policy, Policy.ONLY_RULE, ALICE)).isFalse();
        assertThat(model.tryAcquire(policy, ALICE, 1, SECOND).allowed()).isTrue();
        assertThat(model.reset(policy, Policy.ONLY_RULE, ALICE)).isTrue();
        assertThat(model.peek(policy, ALICE, 1, SECOND).allowed()).isTrue();
    }

    private void acquire(Limit limit, long permits, long atMicros, String expected) {
        Decision decision = model.tryAcquire(Policy.of("p", limit, "user"), ALICE, permits, atMicros);
        assertThat(decision.decisive().orElseThrow()).hasToString(Policy.ONLY_RULE + " " + expected);
    }
}
