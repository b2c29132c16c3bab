package io.headgate.redis.limits.internal.fallback;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Limit;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The last usage that Redis reported for keys, and how long it is kept. */
class LastUsedTest {

    private static final long SECOND = 1_000_000;
    private static final Rule WINDOW = Rule.of("w", Limit.slidingWindow(100, Duration.ofMinutes(1)), "user");
    private static final Rule OVERRIDE = Rule.of("w", Limit.slidingWindow(1000, Duration.ofMinutes(1)), "user");
    private static final Rule BUCKET = Rule.of("b", Limit.tokenBucket(100, 100, Duration.ofMinutes(1)), "user");

    private final LastUsed last = new LastUsed(100);
    private AtomicBoolean isReplaced = new AtomicBoolean();

    /** Redis reports that a key has these remaining permits, and that its whole limit is available after the given time. */
    private void learn(Rule rule, String key, long remaining, long resetSeconds, long nowMicros) {
        last.learn(
                key, EngineRuleDecision.allowed(rule, remaining, resetSeconds * SECOND), isReplaced, () -> nowMicros);
    }

    private void updatePolicy() {
        isReplaced.set(true);
        isReplaced = new AtomicBoolean();
    }

    @Test
    void used_permits_are_returned_once() {
        learn(WINDOW, "a", 60, 30, 0);
        assertThat(last.take("a", SECOND)).isEqualTo(40);
        assertThat(last.take("a", SECOND)).isZero();
        assertThat(last.take("b", SECOND)).isZero();
    }

    @Test
    void used_permits_count_until_a_window_ends_and_a_bucket_refills() {
        learn(WINDOW, "a", 60, 30, 0);
        learn(BUCKET, "b", 60, 24, 0);
        assertThat(last.take("a", 30 * SECOND - 1)).isEqualTo(40);
        assertThat(last.take("b", 12 * SECOND)).isEqualTo(20);
        learn(WINDOW, "a", 60, 30, 0);
        assertThat(last.take("a", 30 * SECOND)).isZero();
        learn(BUCKET, "b", 60, 24, 0);
        assertThat(last.take("b", 1)).isEqualTo(40);
    }

    @Test
    void usage_below_a_tenth_is_not_stored_and_removes_the_previous_usage() {
        learn(WINDOW, "a", 91, 30, 0);
        assertThat(last.size()).isZero();
        learn(WINDOW, "a", 90, 30, 0);
        assertThat(last.size()).isEqualTo(1);
        learn(WINDOW, "a", 91, 30, 0);
        assertThat(last.size()).isZero();
    }

    @Test
    void a_report_under_another_limit_does_not_lower_the_usage_of_a_key() {
        learn(WINDOW, "a", 60, 30, 0);
        learn(OVERRIDE, "a", 990, 30, 0);
        assertThat(last.take("a", SECOND)).as("10 of 1000 are below a tenth").isEqualTo(40);
        learn(WINDOW, "a", 80, 30, 0);
        learn(OVERRIDE, "a", 300, 30, 0);
        learn(WINDOW, "a", 50, 30, 0);
        assertThat(last.take("a", SECOND)).isEqualTo(700);
    }

    @Test
    void usage_under_another_limit_is_replaced_once_it_has_expired() {
        learn(OVERRIDE, "a", 300, 10, 0);
        learn(WINDOW, "a", 50, 30, 10 * SECOND);
        assertThat(last.take("a", 11 * SECOND)).isEqualTo(50);
    }

    @Test
    void a_report_after_an_update_of_the_policy_lowers_the_usage_under_the_replaced_limit() {
        learn(OVERRIDE, "a", 300, 30, 0);
        updatePolicy();
        learn(WINDOW, "a", 50, 30, 0);
        assertThat(last.take("a", SECOND)).isEqualTo(50);
        learn(OVERRIDE, "a", 300, 30, 0);
        updatePolicy();
        learn(WINDOW, "a", 99, 30, 0);
        assertThat(last.take("a", SECOND)).isZero();
    }

    @Test
    void the_number_of_keys_is_bounded_and_expired_ones_make_room() {
        for (int i = 0; i < 1000; i++) {
            learn(WINDOW, "a" + i, 0, 1, 0);
        }
        assertThat(last.size()).isEqualTo(100);
        learn(WINDOW, "a1", 50, 1, 1);
        assertThat(last.take("a1", 2)).isEqualTo(50);
        for (int i = 0; i < 50; i++) {
            learn(WINDOW, "b" + i, 0, 1, 2 * SECOND);
        }
        assertThat(last.size()).isEqualTo(50);
    }
}
