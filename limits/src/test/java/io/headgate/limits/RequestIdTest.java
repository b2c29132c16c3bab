package io.headgate.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The engine in memory charges a request with a request id once. */
class RequestIdTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final RequestId ORDER = RequestId.of("order 17");
    private static final PermitRequest ALICE = PermitRequest.of("alice").withId(ORDER);

    private final AtomicLong nowMicros = new AtomicLong(1_800_000_000_000_000L);
    private final InMemoryLimitEngine limits = InMemoryLimitEngine.builder()
            .time(nowMicros::get)
            .requestIdHorizon(Duration.ofSeconds(30))
            .maxRequestIds(100)
            .build();
    private final Limiter limiter = limits.limiter("five", Limit.slidingWindow(5, MINUTE));

    @Test
    void a_repeated_id_returns_the_first_decision_until_the_horizon_has_passed() {
        Decision first = limiter.tryAcquire(ALICE.withPermits(2));
        nowMicros.addAndGet(29_999_999);
        assertThat(limiter.tryAcquire(ALICE.withPermits(2))).isEqualTo(first);
        assertThat(limits.limiter(limiter.policy()).tryAcquire(ALICE.withPermits(2)))
                .isEqualTo(first);
        nowMicros.addAndGet(1);
        assertThat(limiter.tryAcquire(ALICE.withPermits(2)).remaining()).isEqualTo(1);
    }

    @Test
    void concurrent_requests_with_the_same_id_are_charged_once() {
        List<CompletableFuture<Decision>> responses = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            responses.add(CompletableFuture.supplyAsync(() -> limiter.tryAcquire(ALICE)));
        }
        assertThat(responses.stream().map(CompletableFuture::join).distinct()).hasSize(1);
        assertThat(limiter.peek("alice").remaining()).isEqualTo(4);
    }

    @Test
    void an_id_that_was_used_for_another_request_is_rejected_and_charges_nothing() {
        limiter.tryAcquire(ALICE);
        assertThatThrownBy(() -> limiter.tryAcquire(ALICE.withPermits(2))).isInstanceOf(RequestIdReusedException.class);
        assertThat(limiter.async().tryAcquire(PermitRequest.of("bob").withId(ORDER)))
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(RequestIdReusedException.class)
                .withMessageContaining("request id \"order 17\" of policy five was used for other");
        assertThat(limiter.peek("alice").remaining()).isEqualTo(4);
        assertThat(limiter.peek("bob").remaining()).isEqualTo(5);
    }

    @Test
    void a_request_that_was_decided_by_other_rules_is_not_charged_again() {
        limiter.tryAcquire(ALICE);
        limiter.update(Policy.of("five", Limit.slidingWindow(6, MINUTE), Attributes.KEY));
        assertThatThrownBy(() -> limiter.tryAcquire(ALICE))
                .isInstanceOfSatisfying(LimiterException.class, failure -> assertThat(failure.mayBeCharged())
                        .isTrue());
        assertThat(limiter.peek("alice").remaining()).isEqualTo(5);
    }

    @Test
    void a_denial_is_decided_again_unless_it_was_counted_as_an_attempt() {
        limiter.tryAcquire(PermitRequest.of("alice").withPermits(5));
        assertThat(limiter.tryAcquire(ALICE).denied()).isTrue();
        limiter.reset("alice");
        assertThat(limiter.tryAcquire(ALICE).allowed()).isTrue();

        Limiter logins = limits.limiter(Policy.named("logins")
                .rule(Rule.of("attempts", Limit.slidingWindow(5, MINUTE)).countingAttempts())
                .build());
        logins.tryAcquire(PermitRequest.global().withPermits(4));
        Decision denied =
                logins.tryAcquire(PermitRequest.global().withPermits(2).withId(ORDER));
        assertThat(denied.denied()).isTrue();
        logins.reset(Attributes.none());
        assertThat(logins.tryAcquire(PermitRequest.global().withPermits(2).withId(ORDER)))
                .isEqualTo(denied);
    }

    @Test
    void beyond_the_maximum_the_oldest_decision_is_dropped_and_its_request_charged_again() {
        for (int i = 0; i <= 100; i++) {
            assertThat(limiter.tryAcquire(PermitRequest.of("user" + i).withId(RequestId.of("r" + i)))
                            .remaining())
                    .isEqualTo(4);
        }
        assertThat(limiter.tryAcquire(PermitRequest.of("user1").withId(RequestId.of("r1")))
                        .remaining())
                .isEqualTo(4);
        assertThat(limiter.peek("user1").remaining()).isEqualTo(4);
        assertThat(limiter.tryAcquire(PermitRequest.of("user0").withId(RequestId.of("r0")))
                        .remaining())
                .isEqualTo(3);
    }

    @Test
    void a_closed_engine_returns_no_earlier_decision() {
        limiter.tryAcquire(ALICE);
        limits.close();
        assertThatThrownBy(() -> limiter.tryAcquire(ALICE)).isInstanceOf(IllegalStateException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 129})
    void an_id_has_1_to_128_characters(int length) {
        assertThatThrownBy(() -> RequestId.of("x".repeat(length)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("length of a request id must be from 1 to 128, was " + length);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0.999S", "PT24H0.001S", "PT1.0005S"})
    void a_horizon_is_a_second_to_a_day(String horizon) {
        assertThatThrownBy(() -> InMemoryLimitEngine.builder().requestIdHorizon(Duration.parse(horizon)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("requestIdHorizon must be from 1 second to 1 day, in whole milliseconds, was");
    }
}
