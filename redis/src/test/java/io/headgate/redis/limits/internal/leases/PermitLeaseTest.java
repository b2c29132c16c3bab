package io.headgate.redis.limits.internal.leases;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.internal.decision.EngineDecisions;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import java.time.Duration;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

/** The permits of a lease are spent once, and only until it expires. */
class PermitLeaseTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final long LEASE = 1_000_000;

    /** A lease of ten permits of a limit whose reset is in 0.3 seconds. */
    private static PermitLease lease(Limit limit) {
        Policy policy = Policy.named("p").rule("limit", limit).leased().build();
        EngineRuleDecision allowed = EngineRuleDecision.allowed(policy.rules().get(0), 50, 300_000);
        return new PermitLease(EngineDecisions.of(policy, 1, 10, allowed), 0, 5, LEASE);
    }

    @Test
    void permits_are_spent_once() {
        PermitLease lease = lease(Limit.slidingWindow(100, MINUTE));
        assertThat(lease.spend(7, 5)).isEqualTo(3);
        assertThat(lease.spend(4, 5)).isNegative();
        assertThat(lease.end()).isEqualTo(3);
        assertThat(lease.spend(1, 5)).isNegative();
        assertThat(lease.end()).isZero();
    }

    @Test
    void a_lease_of_a_fixed_window_ends_with_the_window() {
        for (Limit limit : new Limit[] {
            Limit.fixedWindow(100, MINUTE), Limit.calendarWindow(100, CalendarWindow.Unit.DAY, ZoneOffset.UTC)
        }) {
            // A thousandth and a microsecond early, as clocks may run at different speeds.
            assertThat(lease(limit).expiryMicros()).isEqualTo(300_000 - 300 - 1);
        }
        for (Limit limit : new Limit[] {Limit.slidingWindow(100, MINUTE), Limit.tokenBucket(100, 1, MINUTE)}) {
            assertThat(lease(limit).expiryMicros()).isEqualTo(LEASE - 1000 - 1);
        }
    }
}
