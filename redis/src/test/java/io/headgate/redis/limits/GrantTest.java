package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.RuleDecision;
import java.time.Duration;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

/** Permits of a lease are spent once, and until its time is up. */
class GrantTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final long LEASE = 1_000_000;

    /** Ten permits of a limit that is whole again 0.3 seconds later. */
    private static Grant grant(Limit limit) {
        Policy policy = Policy.named("p").rule("limit", limit).leased().build();
        RuleDecision allowed = RuleDecision.allowed(policy.rules().get(0), 50, 300_000);
        return new Grant(Decision.of(policy, 1, 10, allowed), 0, 5, LEASE);
    }

    @Test
    void permits_are_spent_once() {
        Grant grant = grant(Limit.slidingWindow(100, MINUTE));
        assertThat(grant.spend(7, 5)).isEqualTo(3);
        assertThat(grant.spend(4, 5)).isNegative();
        assertThat(grant.end()).isEqualTo(3);
        assertThat(grant.spend(1, 5)).isNegative();
        assertThat(grant.end()).isZero();
    }

    @Test
    void those_of_a_window_that_ends_are_not_spent_after_its_end() {
        for (Limit limit : new Limit[] {
            Limit.fixedWindow(100, MINUTE), Limit.calendarWindow(100, CalendarWindow.Unit.DAY, ZoneOffset.UTC)
        }) {
            assertThat(grant(limit).untilMicros()).isEqualTo(300_000 - 300 - 1);
        }
        for (Limit limit : new Limit[] {Limit.slidingWindow(100, MINUTE), Limit.tokenBucket(100, 1, MINUTE)}) {
            assertThat(grant(limit).untilMicros()).isEqualTo(LEASE - 1000 - 1);
        }
    }
}
