package io.headgate.redis.limits.internal.calls;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Attributes;
import io.headgate.limits.Limit;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Policy;
import io.headgate.redis.limits.internal.planner.AcquireRequest;
import io.headgate.redis.limits.internal.planner.Keys;
import io.headgate.redis.limits.internal.planner.PolicyPlanner;
import io.headgate.redis.limits.internal.planner.Scripts;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a blocking caller receives when it stops waiting. */
class PendingRequestTest {

    /** The engine is closed between the end of the wait and the fallback. */
    @Test
    void a_caller_that_stops_waiting_while_the_engine_closes_receives_the_exception_of_the_closed_engine() {
        PendingRequest.Handler closed = new PendingRequest.Handler() {
            @Override
            public Throwable failure(Throwable failure) {
                return new IllegalStateException("limits are closed", failure);
            }
        };
        PolicyPlanner planner = new PolicyPlanner(
                Policy.of("p", Limit.slidingWindow(10, Duration.ofMinutes(1)), Attributes.KEY),
                new Keys("hg"),
                new Scripts(false),
                Optional.empty(),
                Duration.ofMinutes(1),
                true);
        AcquireRequest request = planner.request(Attributes.of(Attributes.KEY, "alice"), 1, 1);
        PendingRequest pending = new PendingRequest(request, planner, closed);
        LimiterException late = new LimiterException("acquire", "key", "no answer within 1 ms", true, null);
        assertThatThrownBy(() -> pending.abandon(late))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("limits are closed")
                .hasCause(late);
    }
}
