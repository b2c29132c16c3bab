package io.headgate.redis.limits.internal.fallback;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.internal.memory.Counters;
import io.headgate.limits.internal.memory.LocalShare;
import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.redis.internal.script.ScriptExecutor;
import io.headgate.redis.limits.internal.calls.MultiSlotCalls;
import io.headgate.redis.limits.internal.calls.PolicyCalls;
import io.headgate.redis.limits.internal.denials.DenialCache;
import io.headgate.redis.limits.internal.planner.Keys;
import io.headgate.redis.limits.internal.planner.PolicyPlanner;
import io.headgate.redis.limits.internal.planner.Scripts;
import io.headgate.testkit.ManualClock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The usage of policies in an outage, until it is charged. */
class UsageReconcilerTest {

    private static final Attributes ALICE = Attributes.of("user", "alice");

    private final ManualClock clock = ManualClock.atMicros(1_000_000_000);
    private final Counters counters = new Counters(1000);
    private int planners;
    private int charges;

    /** How often the reconciler reported a policy with unsynced usage that had none before. */
    private int reports;

    private final UsageReconciler reconciler =
            new UsageReconciler(this::planner, calls(new Failing()), clock, Duration.ofSeconds(1), () -> reports++);

    private PolicyPlanner planner(Policy policy) {
        planners++;
        return new PolicyPlanner(
                policy, new Keys("hg"), new Scripts(false), Optional.empty(), Duration.ofMinutes(1), true);
    }

    private static PolicyCalls calls(ScriptExecutor executor) {
        DenialCache denials = new DenialCache(0, () -> {});
        MultiSlotCalls multiSlot = new MultiSlotCalls(executor, (version, rules, attributes, permits) -> {}, denials);
        return new PolicyCalls(executor, multiSlot, denials);
    }

    /** Counts the calls, and fails each. */
    private final class Failing implements ScriptExecutor {

        @Override
        public <T> CompletableFuture<T> execute(ScriptCall<T> call) {
            charges++;
            return CompletableFuture.failedFuture(new IllegalStateException("no Redis"));
        }
    }

    /** Admits a request by a new variant of the policy, as for a request with other overrides. */
    private void admitByNewVariant(long limit) {
        Policy policy = Policy.named("api")
                .rule("per-user", Limit.slidingWindow(limit, Duration.ofMinutes(1)), "user")
                .build();
        LocalShare share = new LocalShare(policy, counters, clock);
        PolicyPlanner planner = planner(policy);
        UsageReconciler.OfPolicy usage = reconciler.of(planner, share);
        usage.admitted(ALICE, planner.keys(ALICE), share.tryAcquire(ALICE, 1), clock.nowMicros());
    }

    @Test
    void recreated_variants_replace_each_other() {
        for (int i = 0; i < 10; i++) {
            admitByNewVariant(100);
            admitByNewVariant(200);
        }
        assertThat(reconciler.unsyncedPolicies()).isEqualTo(2);
        assertThat(reports).isEqualTo(2);
        assertThat(reconciler.isSynced()).isFalse();
    }

    @Test
    void calls_are_planned_only_to_charge_and_usage_that_fails_to_be_charged_stays() {
        admitByNewVariant(100);
        assertThat(planners).isEqualTo(1);
        clock.advance(Duration.ofSeconds(2));
        for (int i = 1; i <= 3; i++) {
            assertThat(reconciler.syncOverdue()).isCompletedExceptionally();
            assertThat(charges).isEqualTo(i);
        }
        assertThat(planners).isEqualTo(2);
        assertThat(reconciler.unsyncedPolicies()).isEqualTo(1);
    }
}
