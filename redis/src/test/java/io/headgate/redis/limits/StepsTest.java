package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Attributes;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.redis.internal.ScriptCall;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Who goes in one step with whom, and who in one call. */
class StepsTest {

    private static final Policy POLICY = Policy.of("p", Limit.slidingWindow(10, Duration.ofMinutes(1)), Attributes.KEY);
    private static final PolicyPlanner PLANNER = planner(POLICY);

    private static PolicyPlanner planner(Policy policy) {
        return new PolicyPlanner(
                policy, new Keys("hg"), new Scripts(false), Optional.empty(), Duration.ofMinutes(1), true);
    }

    private static Ask ask(String key, long permits, long atMicros) {
        return PLANNER.ask(Attributes.of(Attributes.KEY, key), permits, atMicros);
    }

    @Test
    void those_who_ask_for_the_same_are_one_step_whenever_they_asked() {
        Steps steps = PLANNER.steps();
        steps.add(ask("a", 1, 1));
        steps.add(ask("b", 1, 2));
        steps.add(ask("a", 1, 3));
        assertThat(steps.all()).hasSize(2);
        assertThat(steps.all().get(0).asks()).hasSize(2);
    }

    @Test
    void nobody_is_put_before_one_who_asked_for_another_number_of_the_same() {
        Steps steps = PLANNER.steps();
        steps.add(ask("a", 1, 1));
        steps.add(ask("a", 2, 1));
        steps.add(ask("a", 1, 1));
        assertThat(steps.all()).hasSize(3);
    }

    @Test
    void where_the_time_is_given_those_of_different_times_are_apart() {
        Steps steps = new Steps(Steps.Merging.OF_ONE_KEY, true);
        steps.add(ask("a", 1, 1));
        steps.add(ask("a", 1, 2));
        steps.add(ask("a", 1, 2));
        assertThat(steps.all()).hasSize(2);
    }

    @Test
    void where_keys_are_shared_only_those_next_to_each_other_are_one() {
        Steps steps = planner(Policy.named("p")
                        .rule("all", Limit.slidingWindow(10, Duration.ofMinutes(1)))
                        .rule("each", Limit.slidingWindow(10, Duration.ofMinutes(1)), Attributes.KEY)
                        .build())
                .steps();
        steps.add(ask("a", 1, 1));
        steps.add(ask("a", 1, 2));
        steps.add(ask("b", 1, 3));
        steps.add(ask("a", 1, 4));
        assertThat(steps.all()).extracting(step -> step.asks().size()).containsExactly(2, 1, 1);
    }

    @Test
    void where_a_denied_request_counts_none_are_one() {
        Rule rule = Rule.of("r", Limit.slidingWindow(10, Duration.ofMinutes(1)), Attributes.KEY);
        for (Rule alone : List.of(rule.countingAttempts(), rule.inShadow())) {
            Steps steps = planner(Policy.named("p").rule(alone).build()).steps();
            steps.add(ask("a", 1, 1));
            steps.add(ask("a", 1, 1));
            assertThat(steps.all()).hasSize(2);
        }
    }

    @Test
    void a_step_has_no_more_than_it_can_tell() {
        Steps steps = PLANNER.steps();
        for (int i = 0; i <= Steps.MOST; i++) {
            steps.add(ask("a", 1, 1));
        }
        assertThat(steps.all()).extracting(step -> step.asks().size()).containsExactly(Steps.MOST, 1);
    }

    @Test
    void who_asks_for_more_permits_than_a_step_can_tell_goes_alone() {
        Ask small = ask("a", 1, 1);
        Ask most = ask("b", 0xffff_ffffL, 1);
        Ask more = ask("c", 0x1_0000_0000L, 1);
        assertThat(new Together(small).takes(most)).isTrue();
        assertThat(new Together(small).takes(more)).isFalse();
        assertThat(new Together(more).takes(small)).isFalse();
    }

    @Test
    void a_reply_that_does_not_end_where_it_should_is_not_taken_for_one() {
        Steps steps = PLANNER.steps();
        steps.add(ask("a", 1, 1));
        ScriptCall<List<StepAnswer>> call = PLANNER.acquireAll(steps);
        byte[] reply = new byte[7 + 18];
        assertThat(call.decoder().decode(reply)).hasSize(1);
        assertThatThrownBy(() -> call.decoder().decode(Arrays.copyOf(reply, reply.length + 1)))
                .isInstanceOf(RuntimeException.class);
    }
}
