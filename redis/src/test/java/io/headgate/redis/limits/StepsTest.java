package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.TimeSource;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which requests are one step of a call. */
class StepsTest {

    private static final Policy POLICY = Policy.of("p", Limit.slidingWindow(10, Duration.ofMinutes(1)), Attributes.KEY);

    @Test
    void requests_for_the_same_are_one_step_whenever_they_were_asked() {
        assertThat(steps(Optional.empty())).isEqualTo(1);
    }

    /** A step is decided at one time. */
    @Test
    void at_times_that_are_given_they_are_several() {
        assertThat(steps(Optional.of(() -> 1_800_000_000_000_000L))).isEqualTo(2);
    }

    /** Of two requests, the second of which is asked a little later. */
    private static int steps(Optional<TimeSource> time) {
        PolicyPlanner planner = new PolicyPlanner(
                POLICY, new Keys("hg"), new Scripts(time.isPresent()), time, stem -> new KnownDenials(0));
        Steps steps = planner.steps();
        steps.add(planner.ask(Attributes.of(Attributes.KEY, "a"), 1, 1_800_000_000_000_000L));
        steps.add(planner.ask(Attributes.of(Attributes.KEY, "a"), 1, 1_800_000_000_000_007L));
        return steps.all().size();
    }
}
