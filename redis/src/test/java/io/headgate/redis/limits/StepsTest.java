package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StepsTest {

    private static final Policy POLICY = Policy.of("p", Limit.slidingWindow(10, Duration.ofMinutes(1)), Attributes.KEY);
    private static final PolicyPlanner PLANNER = new PolicyPlanner(
            POLICY,
            new Keys("hg"),
            new Scripts(false),
            Optional.empty(),
            Duration.ofMinutes(1),
            stem -> new KnownDenials(0));

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
}
