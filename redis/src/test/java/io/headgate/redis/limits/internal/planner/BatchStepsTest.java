package io.headgate.redis.limits.internal.planner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Attributes;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.redis.limits.internal.calls.PendingRequest;
import io.headgate.redis.limits.internal.calls.RequestBatch;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which requests share a step of a call, and which share a call. Redis decides a step, of one or more equal requests, at a time. */
class BatchStepsTest {

    private static final Policy POLICY = Policy.of("p", Limit.slidingWindow(10, Duration.ofMinutes(1)), Attributes.KEY);
    private static final PolicyPlanner PLANNER = planner(POLICY);

    private static PolicyPlanner planner(Policy policy) {
        return new PolicyPlanner(
                policy, new Keys("hg"), new Scripts(false), Optional.empty(), Duration.ofMinutes(1), true);
    }

    private static AcquireRequest request(String key, long permits, long atMicros) {
        return PLANNER.request(Attributes.of(Attributes.KEY, key), permits, atMicros);
    }

    private static PendingRequest pending(String key, long permits) {
        return new PendingRequest(request(key, permits, 1), PLANNER, new PendingRequest.Handler() {});
    }

    @Test
    void equal_requests_share_a_step_whenever_they_were_made() {
        BatchSteps steps = PLANNER.newSteps();
        steps.add(request("a", 1, 1));
        steps.add(request("b", 1, 2));
        steps.add(request("a", 1, 3));
        assertThat(steps.all()).hasSize(2);
        assertThat(steps.all().get(0).requests()).isEqualTo(2);
    }

    @Test
    void no_request_overtakes_one_for_another_number_of_permits_of_the_same_key() {
        BatchSteps steps = PLANNER.newSteps();
        steps.add(request("a", 1, 1));
        steps.add(request("a", 2, 1));
        steps.add(request("a", 1, 1));
        assertThat(steps.all()).hasSize(3);
    }

    @Test
    void with_a_given_clock_requests_of_different_times_do_not_share_a_step() {
        BatchSteps steps = new BatchSteps(BatchSteps.Merging.SAME_FIRST_KEY, true);
        steps.add(request("a", 1, 1));
        steps.add(request("a", 1, 2));
        steps.add(request("a", 1, 2));
        assertThat(steps.all()).hasSize(2);
    }

    @Test
    void if_requests_share_the_key_of_a_rule_only_adjacent_equal_ones_share_a_step() {
        BatchSteps steps = planner(Policy.named("p")
                        .rule("all", Limit.slidingWindow(10, Duration.ofMinutes(1)))
                        .rule("each", Limit.slidingWindow(10, Duration.ofMinutes(1)), Attributes.KEY)
                        .build())
                .newSteps();
        steps.add(request("a", 1, 1));
        steps.add(request("a", 1, 2));
        steps.add(request("b", 1, 3));
        steps.add(request("a", 1, 4));
        assertThat(steps.all()).extracting(BatchSteps.Step::requests).containsExactly(2, 1, 1);
    }

    @Test
    void requests_of_rules_that_count_attempts_or_are_in_shadow_mode_do_not_share_a_step() {
        Rule rule = Rule.of("r", Limit.slidingWindow(10, Duration.ofMinutes(1)), Attributes.KEY);
        for (Rule alone : List.of(rule.countingAttempts(), rule.inShadow())) {
            BatchSteps steps = planner(Policy.named("p").rule(alone).build()).newSteps();
            steps.add(request("a", 1, 1));
            steps.add(request("a", 1, 1));
            assertThat(steps.all()).hasSize(2);
        }
    }

    @Test
    void a_full_step_takes_no_more_requests() {
        BatchSteps steps = PLANNER.newSteps();
        for (int i = 0; i <= BatchSteps.MAX_REQUESTS_PER_STEP; i++) {
            steps.add(request("a", 1, 1));
        }
        assertThat(steps.all())
                .extracting(BatchSteps.Step::requests)
                .containsExactly(BatchSteps.MAX_REQUESTS_PER_STEP, 1);
    }

    @Test
    void a_step_of_equal_requests_has_at_least_one_and_no_more_than_it_can_state() {
        BatchSteps steps = PLANNER.newSteps();
        for (int requests : List.of(0, BatchSteps.MAX_REQUESTS_PER_STEP + 1)) {
            assertThatThrownBy(() -> steps.addEqual(request("a", 1, 1), requests))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("requests must be between 1 and 65535, but was " + requests);
        }
        steps.addEqual(request("a", 1, 1), BatchSteps.MAX_REQUESTS_PER_STEP);
        assertThat(steps.all()).hasSize(1);
    }

    @Test
    void a_request_for_more_permits_than_a_step_can_state_is_sent_alone() {
        PendingRequest small = pending("a", 1);
        PendingRequest most = pending("b", 0xffff_ffffL);
        PendingRequest more = pending("c", 0x1_0000_0000L);
        assertThat(new RequestBatch(small).accepts(most)).isTrue();
        assertThat(new RequestBatch(small).accepts(more)).isFalse();
        assertThat(new RequestBatch(more).accepts(small)).isFalse();
    }

    @Test
    void a_reply_with_trailing_bytes_is_rejected() {
        BatchSteps steps = PLANNER.newSteps();
        steps.add(request("a", 1, 1));
        ScriptCall<List<BatchReply.StepResult>> call = PLANNER.acquireBatch(steps);
        // The time, and the result of the only step.
        byte[] reply = new byte[7 + 18];
        assertThat(call.decoder().decode(reply)).hasSize(1);
        assertThatThrownBy(() -> call.decoder().decode(Arrays.copyOf(reply, reply.length + 1)))
                .isInstanceOf(RuntimeException.class);
    }
}
