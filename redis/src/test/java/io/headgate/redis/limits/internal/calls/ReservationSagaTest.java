package io.headgate.redis.limits.internal.calls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.redis.internal.script.ScriptExecutor;
import io.headgate.redis.limits.internal.planner.PolicyPlanner;
import io.headgate.redis.limits.internal.planner.RulePlanner;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The failure of a request states whether a rule may have charged it, also if another rule had denied it before. */
class ReservationSagaTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Rule SECOND = Rule.of("second", Limit.slidingWindow(5, MINUTE), Attributes.USER);

    /** The first rule denies the request; then the call of the second fails, certainly without an effect. */
    private record DeniesThenFails(Rule denies) implements ScriptExecutor {

        @Override
        @SuppressWarnings("unchecked") // the first call reserves
        public <T> CompletableFuture<T> execute(ScriptCall<T> call) {
            if (call.firstKey().contains(":second")) {
                return CompletableFuture.failedFuture(LimitFailures.INSTANCE.failure(
                        "acquire", call.firstKey(), "too many calls in flight; nothing was charged", false, null));
            }
            EngineRuleDecision denied = EngineRuleDecision.denied(denies, 0, 1_000_000, 1_000_000);
            return CompletableFuture.completedFuture((T) new RulePlanner.Reservation(1, denied, denied));
        }
    }

    private static CompletableFuture<Decision> acquire(Rule first) {
        PolicyPlanner planner =
                TwoMasters.planner(Policy.named("p").rule(first).rule(SECOND).build());
        ReservationSaga.Part part = new ReservationSaga.Part(
                planner,
                planner.request(Attributes.of(Attributes.USER, "alice"), 1, planner.localMicros(), null),
                planner.rulePlanners());
        return new ReservationSaga<>(
                        new DeniesThenFails(first),
                        (version, request, rule, charge) -> {
                            throw new AssertionError("a denial is not refunded");
                        },
                        List.of(part),
                        decisions -> decisions.get(0))
                .start();
    }

    @Test
    void a_denial_charges_nothing() {
        Rule first = Rule.of("first", Limit.slidingWindow(5, MINUTE), Attributes.USER);
        assertThatThrownBy(acquire(first)::join)
                .cause()
                .hasMessageEndingWith("; nothing was charged")
                .isInstanceOfSatisfying(LimiterException.class, failure -> assertThat(failure.mayBeCharged())
                        .isFalse());
    }

    @Test
    void a_denial_by_a_rule_that_counts_attempts_has_charged_the_attempt() {
        Rule first = Rule.of("first", Limit.slidingWindow(5, MINUTE), Attributes.USER)
                .countingAttempts();
        assertThatThrownBy(acquire(first)::join)
                .cause()
                .hasMessageEndingWith("; other rules may have charged it; refunds are sent, except of counted attempts")
                .isInstanceOfSatisfying(LimiterException.class, failure -> assertThat(failure.mayBeCharged())
                        .isTrue());
    }
}
