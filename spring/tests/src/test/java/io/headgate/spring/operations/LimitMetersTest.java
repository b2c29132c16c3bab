package io.headgate.spring.operations;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LimitMetersTest {

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final InMemoryLimitEngine engine = InMemoryLimitEngine.create();

    @BeforeEach
    void bind() {
        new LimitMeters(engine).bindTo(meters);
    }

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void requests_are_counted_by_policy_and_outcome_but_not_by_id() {
        Limiter logins = engine.limiter("logins", Limit.slidingWindow(2, Duration.ofHours(1)));
        for (int i = 0; i < 5; i++) {
            logins.tryAcquire("alice");
        }
        engine.inFlight("exports", 1).tryAcquire("alice");

        assertThat(count("logins", "allowed")).isEqualTo(2);
        assertThat(count("logins", "denied")).isEqualTo(3);
        assertThat(count("logins", "failed")).isZero();
        assertThat(count("exports", "allowed")).isEqualTo(1);
        assertThat(meters.getMeters()).noneMatch(meter -> meter.getId().toString().contains("alice"));
    }

    @Test
    void policies_beyond_the_first_500_have_one_tag() {
        for (int i = 0; i < 503; i++) {
            engine.limiter("policy" + i, Limit.slidingWindow(1, Duration.ofHours(1))).tryAcquire("alice");
        }

        assertThat(count("policy499", "allowed")).isEqualTo(1);
        assertThat(count("other", "allowed")).isEqualTo(3);
        assertThat(meters.find("headgate.requests").counters()).hasSize(501 * 3);
    }

    private double count(String policy, String outcome) {
        return meters.get("headgate.requests")
                .tags(Tags.of("policy", policy, "outcome", outcome))
                .counter()
                .count();
    }
}
