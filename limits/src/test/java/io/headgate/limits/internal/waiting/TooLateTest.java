package io.headgate.limits.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Decision;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A request whose delay is too long is denied only by the shapers with too long a delay, with the excess as the retry-after. */
class TooLateTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Test
    void only_the_rule_with_too_long_a_delay_denies_and_its_retry_after_is_the_excess() throws Exception {
        try (InMemoryLimitEngine still =
                InMemoryLimitEngine.builder().time(() -> 1_800_000_000_000_000L).build()) {
            Limiter limiter = still.limiter(Policy.named("p")
                    .rule("fast", Limit.leakyBucket(10, 10, MINUTE).shaper())
                    .rule(Rule.of(
                                    "in-shadow",
                                    Limit.leakyBucket(10, 1, Duration.ofHours(1))
                                            .shaper())
                            .inShadow())
                    .rule(
                            "slow",
                            Limit.leakyBucket(10, 1, Duration.ofMinutes(10)).shaper())
                    .build());
            limiter.tryAcquire(PermitRequest.global());
            Decision decision = limiter.acquire(PermitRequest.global(), Duration.ofMinutes(4));
            assertThat(decision.deniedBy()).contains("slow");
            assertThat(decision.deniedInShadow()).isEmpty();
            assertThat(decision.rules()).extracting(RuleDecision::allowed).containsExactly(true, true, false);
            assertThat(decision.charged()).isZero();
            assertThat(decision.retryAfter()).hasValueSatisfying(wait -> assertThat(wait)
                    .isBetween(Duration.ofMinutes(6), Duration.ofMinutes(7)));
            assertThat(limiter.peek(PermitRequest.global()).rules()).allMatch(rule -> rule.remaining() == 9);
        }
    }
}
