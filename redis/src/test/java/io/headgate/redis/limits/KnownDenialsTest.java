package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Limit;
import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import java.time.Duration;
import java.util.AbstractList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is known of denials has a bound, whatever the ids, and goes with time. */
class KnownDenialsTest {

    private static final Rule RULE = Rule.of("r", Limit.slidingWindow(5, Duration.ofMinutes(1)), "user");
    private static final long SECOND = 1_000_000;

    private final KnownDenials denials = new KnownDenials(1000);
    private final long startNanos = System.nanoTime();

    private void deny(String id, long permits, long atMicros) {
        RuleDecision denial = RuleDecision.denied(RULE, 0, 30 * SECOND, 30 * SECOND);
        denials.add(denial, List.of(id), permits, atMicros, nanos(atMicros), atMicros);
    }

    private void release(String id, long atMicros) {
        denials.released(List.of(id), nanos(atMicros));
    }

    private long nanos(long micros) {
        return startNanos + micros * 1000;
    }

    private boolean knows(String id, long permits, long atMicros) {
        return denials.of(RULE, id, permits, atMicros) != null;
    }

    @Test
    void a_flood_of_ten_million_ids_takes_no_more_than_twice_the_bound() {
        for (int i = 0; i < 10_000_000; i++) {
            deny("user" + i, 1, i * 10L);
            assertThat(denials.size()).isLessThanOrEqualTo(2000);
        }
    }

    @Test
    void it_holds_from_when_it_was_asked_until_the_instant_that_was_told() {
        deny("a", 2, SECOND);
        assertThat(knows("a", 2, SECOND - 1)).isFalse();
        assertThat(knows("a", 2, SECOND)).isTrue();
        assertThat(knows("a", 1, SECOND)).isFalse();
        assertThat(knows("a", 3, 31 * SECOND - 1)).isTrue();
        assertThat(knows("a", 2, 31 * SECOND)).isFalse();
        assertThat(knows("b", 2, SECOND)).isFalse();
    }

    @Test
    void after_a_notice_nothing_is_known_that_was_asked_before_it() {
        deny("a", 1, 10);
        deny("b", 1, 10);
        release("a", 20);
        assertThat(knows("a", 1, 20)).isFalse();
        assertThat(knows("b", 1, 20)).isTrue();
        // It was on its way.
        deny("a", 1, 19);
        assertThat(knows("a", 1, 20)).isFalse();
        // Which came first is not known.
        deny("a", 1, 20);
        assertThat(knows("a", 1, 21)).isFalse();
        deny("a", 1, 21);
        assertThat(knows("a", 1, 21)).isTrue();
    }

    @Test
    void a_flood_of_notices_takes_no_more_than_the_bound() {
        for (int i = 0; i < 100_000; i++) {
            release("user" + i, i);
        }
        // There was no room to take note of that one, so none is believed that was asked before it.
        deny("user99999", 1, 99_998);
        assertThat(knows("user99999", 1, 99_999)).isFalse();
        deny("user", 1, 99_998);
        assertThat(knows("user", 1, 99_999)).isFalse();
        deny("user", 1, 100_000);
        assertThat(knows("user", 1, 100_000)).isTrue();
    }

    @Test
    void an_answer_to_what_was_asked_before_a_notice_is_not_kept_however_late_it_comes() {
        release("a", 20);
        for (int second = 1; second < 70; second++) {
            deny("b", 1, second * SECOND);
            release("c", second * SECOND);
            deny("a", 1, 19);
            assertThat(knows("a", 1, 20)).isFalse();
        }
        deny("a", 1, 70 * SECOND);
        assertThat(knows("a", 1, 70 * SECOND)).isTrue();
    }

    @Test
    void when_all_is_forgotten_what_is_on_its_way_is_not_kept() {
        deny("a", 1, 10);
        denials.forgetAll(nanos(20));
        deny("b", 1, 19);
        assertThat(denials.size()).isZero();
        deny("b", 1, 21);
        assertThat(knows("b", 1, 21)).isTrue();
    }

    @Test
    void of_all_who_ask_a_second_later_one_is_to_check() {
        deny("a", 1, 0);
        KnownDenials.Denial denial = Objects.requireNonNull(denials.of(RULE, "a", 1, SECOND));
        assertThat(denial.check().isDue(SECOND - 1)).isFalse();
        assertThat(denial.check().isDue(SECOND)).isTrue();
        assertThat(denial.check().isDue(SECOND)).isFalse();
        assertThat(denial.check().isDue(2 * SECOND)).isTrue();
    }

    @Test
    void it_is_no_denial_of_another_limit() {
        deny("a", 1, 0);
        Rule other = Rule.of("r", Limit.slidingWindow(6, Duration.ofMinutes(1)), "user");
        assertThat(denials.of(other, "a", 1, 0)).isNull();
        denials.admits(other, List.of("a"), 0);
        assertThat(knows("a", 1, 0)).isFalse();
    }

    @Test
    void while_something_is_taken_back_nothing_is_known_and_then_it_is_forgotten() {
        deny("a", 1, 0);
        deny("b", 1, 0);
        denials.loosen(List.of("a"));
        denials.loosen(List.of("a"));
        deny("a", 1, 0);
        assertThat(knows("a", 1, 0)).isFalse();
        assertThat(knows("b", 1, 0)).isTrue();
        denials.loosened(List.of("a"), nanos(10));
        deny("a", 1, 11);
        assertThat(knows("a", 1, 11)).isFalse();
        denials.loosened(List.of("a"), nanos(20));
        assertThat(knows("a", 1, 20)).isFalse();
        deny("a", 1, 21);
        assertThat(knows("a", 1, 21)).isTrue();
    }

    /** The caller of a refund goes on before what is known is forgotten, which then happens in the middle of its next request. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void a_request_in_the_middle_of_which_a_refund_ends_is_not_denied_by_a_denial_cached_before_it(int lookup) {
        Rule rule = Rule.of("r", Limit.slidingWindow(5, Duration.ofMinutes(1)), "user", "ip");
        List<String> ids = List.of("a", "10.0.0.1");
        RuleDecision denial = RuleDecision.denied(rule, 0, 30 * SECOND, 30 * SECOND);
        denials.add(denial, ids, 1, 10, nanos(10), 10);
        denials.loosen(ids);

        List<String> asked = new LookedUp(ids, lookup, () -> denials.loosened(ids, nanos(20)));

        assertThat(denials.of(rule, asked, 1, 20)).isNull();
    }

    /** Ids that do something when they are looked up in a map for the nth time. */
    private static final class LookedUp extends AbstractList<String> {

        private final List<String> ids;
        private final Runnable action;
        private int lookups;

        LookedUp(List<String> ids, int lookups, Runnable action) {
            this.ids = ids;
            this.lookups = lookups;
            this.action = action;
        }

        @Override
        public int hashCode() {
            lookups--;
            if (lookups == 0) {
                action.run();
            }
            return super.hashCode();
        }

        @Override
        @SuppressWarnings("RedundantOverride") // as hashCode is overridden
        public boolean equals(@Nullable Object other) {
            return super.equals(other);
        }

        @Override
        public String get(int index) {
            return ids.get(index);
        }

        @Override
        public int size() {
            return ids.size();
        }
    }

    @Test
    void a_denial_whose_reply_is_processed_after_that_of_a_later_refund_is_not_kept() {
        denials.loosen(List.of("a"));
        denials.loosened(List.of("a"), nanos(20));
        deny("a", 1, 19);
        assertThat(knows("a", 1, 20)).isFalse();
    }

    @Test
    void what_is_not_asked_for_any_more_goes_after_two_seconds_of_others() {
        deny("a", 1, SECOND);
        deny("b", 1, 2 * SECOND);
        assertThat(knows("a", 1, 2 * SECOND)).isTrue();
        deny("c", 1, 3 * SECOND);
        assertThat(knows("a", 1, 3 * SECOND)).isFalse();
        assertThat(knows("b", 1, 3 * SECOND)).isTrue();
    }
}
