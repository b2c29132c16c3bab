package io.headgate.limits.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.InMemoryLimitEngine;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests the limiters of {@code LimitEngine.allow}: one policy for all actions, and few limiters. */
class ActionLimitersTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private final InMemoryLimitEngine limits =
            InMemoryLimitEngine.builder().time(() -> 1_800_000_000_000_000L).build();
    private final AtomicInteger createdLimiters = new AtomicInteger();
    private final ActionLimiters actions = new ActionLimiters(policy -> {
        createdLimiters.incrementAndGet();
        return limits.limiter(policy);
    });

    @Test
    void calls_with_the_same_limit_share_a_limiter() {
        for (int i = 0; i < 1000; i++) {
            actions.allow("user" + i, "action" + i % 7, 5, HOUR);
        }
        assertThat(createdLimiters).hasValue(1);
    }

    @Test
    void the_number_of_limiters_is_bounded_and_no_count_is_lost() {
        assertThat(actions.allow("alice", "login", 1, HOUR)).isTrue();
        for (int i = 0; i < 1000; i++) {
            actions.allow("alice", "login", i, HOUR);
        }
        assertThat(actions.size()).isLessThanOrEqualTo(ActionLimiters.MOST);
        assertThat(actions.allow("alice", "login", 1, HOUR)).isFalse();
    }

    @Test
    void each_pair_of_action_and_user_has_a_count_and_any_text_is_valid() {
        String[] texts = {"/api/reply", "发送短信", "a", "a:b", "b", "~", " ", "a\nb", "x".repeat(5000)};
        for (String action : texts) {
            for (String user : texts) {
                assertThat(actions.allow(user, action, 1, HOUR)).isTrue();
            }
        }
        for (String action : texts) {
            for (String user : texts) {
                assertThat(actions.allow(user, action, 1, HOUR)).isFalse();
            }
        }
    }

    @Test
    void a_changed_limit_or_window_keeps_the_count() {
        assertThat(actions.allow("alice", "login", 2, HOUR)).isTrue();
        assertThat(actions.allow("alice", "login", 1, HOUR)).isFalse();
        assertThat(actions.allow("alice", "login", 3, HOUR)).isTrue();
        assertThat(actions.allow("alice", "login", 2, HOUR)).isFalse();
        assertThat(actions.allow("alice", "login", 2, HOUR.multipliedBy(2))).isFalse();
    }

    @Test
    @SuppressWarnings("NullAway") // callers without NullAway may pass null
    void an_error_names_the_argument_that_is_empty_or_null() {
        assertThatThrownBy(() -> actions.allow("", "login", 1, HOUR))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("user must not be empty; give at least one character");
        assertThatThrownBy(() -> actions.allow("alice", "", 1, HOUR))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("action must not be empty; give at least one character");
        assertThatThrownBy(() -> actions.allow(null, "login", 1, HOUR)).hasMessage("user must not be null");
        assertThatThrownBy(() -> actions.allow("alice", null, 1, HOUR)).hasMessage("action must not be null");
        assertThat(createdLimiters).hasValue(0);
    }
}
