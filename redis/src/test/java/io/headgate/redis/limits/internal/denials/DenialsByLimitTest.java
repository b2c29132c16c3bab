package io.headgate.redis.limits.internal.denials;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Limit;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An id has a denial for each of its limits. What ends denials of the id ends all of them; an admission ends those that it disproves. */
class DenialsByLimitTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final long SECOND = 1_000_000;
    private static final List<String> A = List.of("a");

    private final RuleDenials denials = new RuleDenials(1000);
    private final long startNanos = System.nanoTime();

    private static Rule rule(Limit limit) {
        return Rule.of("r", limit, "user");
    }

    private static Rule permits(long permits) {
        return rule(Limit.slidingWindow(permits, MINUTE));
    }

    private long nanos(long micros) {
        return startNanos + micros * 1000;
    }

    private void deny(Rule rule, List<String> ids, long permits, long atMicros) {
        denials.put(
                EngineRuleDecision.denied(rule, 0, 30 * SECOND, 30 * SECOND),
                ids,
                permits,
                atMicros,
                nanos(atMicros),
                atMicros);
    }

    private void deny(Rule rule, long atMicros) {
        deny(rule, A, 1, atMicros);
    }

    private boolean isCached(Rule rule, long permits, long atMicros) {
        return denials.find(rule, "a", permits, atMicros) != null;
    }

    /** The limits with a cached denial of one permit, among those of 1 to 99 permits a minute. */
    private List<Long> limitsOfA(long atMicros) {
        return LongStream.range(1, 100)
                .filter(permits -> isCached(permits(permits), 1, atMicros))
                .boxed()
                .toList();
    }

    @Test
    void an_id_has_the_latest_denial_of_each_limit() {
        for (int i = 1; i <= 3; i++) {
            deny(permits(5), A, 3 - i, i);
            deny(permits(8), A, i, i);
        }
        assertThat(denials.size()).isEqualTo(2);
        assertThat(isCached(permits(5), 0, 3)).isTrue();
        assertThat(isCached(permits(8), 2, 3)).isFalse();
        assertThat(isCached(permits(8), 3, 3)).isTrue();
        assertThat(isCached(permits(6), 3, 3)).isFalse();
    }

    @Test
    void each_limit_is_checked_once_a_second() {
        deny(permits(5), 0);
        deny(permits(8), 0);
        for (long limit : new long[] {5, 8}) {
            Denial denial = Objects.requireNonNull(denials.find(permits(limit), "a", 1, SECOND));
            assertThat(denial.check().isDue(SECOND)).isTrue();
            assertThat(denial.check().isDue(SECOND)).isFalse();
        }
    }

    @Test
    void limits_move_from_one_generation_to_the_next_independently() {
        deny(permits(1), 0);
        deny(permits(2), SECOND);
        deny(permits(1), SECOND + 1);
        assertThat(limitsOfA(SECOND + 2)).containsExactly(1L, 2L);
        deny(permits(1), 2 * SECOND);
        assertThat(limitsOfA(2 * SECOND)).containsExactly(1L, 2L);
        deny(permits(1), 3 * SECOND);
        assertThat(limitsOfA(3 * SECOND)).containsExactly(1L);
    }

    @Test
    void denials_under_many_limits_take_no_more_than_two_generations() {
        for (int i = 0; i < 3_000_000; i++) {
            deny(permits(1 + i % 3), List.of("user" + i / 4), 1, i * 10L);
            if (i % 7 == 0) {
                denials.admitted(permits(1 + i % 3), List.of("user" + i / 4), 1);
            }
            assertThat(denials.size()).isBetween(0, 2000);
        }
        denials.clear();
        assertThat(denials.size()).isZero();
    }

    @Test
    void a_full_generation_replaces_denials_and_adds_none() {
        for (int i = 0; i < 998; i++) {
            deny(permits(1), List.of("user" + i), 1, 0);
        }
        deny(permits(1), 0);
        deny(permits(2), 0);
        deny(permits(3), 0);
        deny(permits(1), List.of("b"), 1, 0);
        deny(permits(2), A, 7, 1);
        assertThat(denials.size()).isEqualTo(1000);
        assertThat(limitsOfA(1)).containsExactly(1L);
        assertThat(isCached(permits(2), 7, 1)).isTrue();
    }

    @Test
    void an_id_has_denials_of_at_most_sixteen_limits() {
        for (int permits = 1; permits < 30; permits++) {
            deny(permits(permits), 0);
        }
        assertThat(limitsOfA(0)).hasSize(16).startsWith(1L).endsWith(16L);
        deny(permits(1), 1);
        assertThat(limitsOfA(1)).hasSize(16);
    }

    @Test
    void an_admission_ends_the_denial_of_as_many_permits_under_its_own_limit_only() {
        deny(permits(5), A, 2, 0);
        deny(permits(8), A, 2, 0);
        denials.admitted(permits(5), A, 1);
        assertThat(isCached(permits(5), 2, 0)).isTrue();
        denials.admitted(permits(8), A, 2);
        assertThat(isCached(permits(5), 2, 0)).isTrue();
        assertThat(isCached(permits(8), 2, 0)).isFalse();
        assertThat(denials.size()).isEqualTo(1);
    }

    /** After an admission of 4 of 6, at most 2 counted before: 3 of 5 fitted, and 4 of 5 may not have. */
    @Test
    void an_admission_ends_denials_under_other_limits_that_it_disproves() {
        deny(permits(5), A, 4, 0);
        denials.admitted(permits(6), A, 4);
        assertThat(isCached(permits(5), 4, 0)).isTrue();
        deny(permits(5), A, 3, 0);
        denials.admitted(permits(6), A, 4);
        assertThat(denials.isEmpty()).isTrue();
    }

    @Test
    void an_admission_under_another_window_ends_all_denials() {
        deny(permits(5), 0);
        deny(permits(8), SECOND);
        denials.admitted(rule(Limit.slidingWindow(100, Duration.ofSeconds(59))), A, 1);
        assertThat(denials.isEmpty()).isTrue();
    }

    @Test
    void a_release_and_a_change_of_the_rule_end_the_denials_of_all_limits() {
        deny(permits(5), 0);
        deny(permits(8), 0);
        denials.released(A, nanos(1));
        assertThat(denials.size()).isZero();
        deny(permits(5), 2);
        deny(permits(8), 2);
        denials.beginRelease(A);
        assertThat(limitsOfA(2)).isEmpty();
        denials.endRelease(A, nanos(3));
        assertThat(denials.size()).isZero();
        deny(permits(5), 4);
        deny(permits(8), 4);
        denials.clear();
        assertThat(denials.size()).isZero();
    }

    /** During one of the lookups by which the denial is stored, a release happens, and another thread stores a later denial. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void a_denial_that_is_linked_to_a_later_one_is_not_used_if_a_release_came_between(int lookup) {
        Rule rule = Rule.of("r", Limit.slidingWindow(5, MINUTE), "user", "ip");
        Rule other = Rule.of("r", Limit.slidingWindow(8, MINUTE), "user", "ip");
        List<String> ids = List.of("a", "10.0.0.1");
        AtomicBoolean isReleased = new AtomicBoolean();
        deny(other, ids, 1, 0);
        List<String> lookedUp = new LookedUp(ids, lookup, () -> {
            denials.released(ids, nanos(20));
            deny(other, ids, 1, 30);
            isReleased.set(true);
        });
        deny(rule, lookedUp, 1, 10);
        assertThat(isReleased).isTrue();
        assertThat(denials.find(rule, ids, 1, 40)).isNull();
    }
}
