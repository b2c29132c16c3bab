package io.headgate.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Hold;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.PermitRequest;
import io.headgate.spring.annotation.Admission.Admitted;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AttemptTest {

    private final LimitEngine engine = InMemoryLimitEngine.create();
    private final InFlightLimiter limiter = engine.inFlight(InFlightPolicy.of("one", 1));
    private final Attempt attempt = new Attempt();

    @AfterEach
    void close() {
        engine.close();
    }

    private Admitted hold() {
        Hold hold = limiter.tryAcquire(PermitRequest.global());
        return new Admitted(List.of(), List.of(hold));
    }

    private long held() {
        return limiter.peek(PermitRequest.global()).rules().get(0).held();
    }

    @Test
    void a_call_that_is_admitted_after_its_end_holds_nothing() {
        attempt.end();
        assertThatThrownBy(() -> attempt.admitted(hold())).isInstanceOf(CancellationException.class);
        assertThat(held()).isZero();
    }

    @Test
    void the_end_of_a_call_releases_what_it_holds() {
        attempt.admitted(hold());
        assertThat(attempt.start()).isTrue();
        attempt.endUnlessRunning();
        assertThat(held()).isEqualTo(1);
        attempt.end();
        attempt.end();
        assertThat(held()).isZero();
    }

    @Test
    void a_call_that_ends_before_its_method_starts_never_runs() {
        attempt.admitted(hold());
        attempt.endUnlessRunning();
        assertThat(held()).isZero();
        assertThat(attempt.start()).isFalse();
    }

    @Test
    void a_wait_that_begins_after_the_end_of_the_call_is_cancelled() {
        attempt.end();
        assertThat(attempt.waiting(new CompletableFuture<>())).isCancelled();
    }
}
