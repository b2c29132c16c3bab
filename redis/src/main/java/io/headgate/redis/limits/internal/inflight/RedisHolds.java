package io.headgate.redis.limits.internal.inflight;

import io.headgate.limits.Attributes;
import io.headgate.limits.InFlight;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.internal.inflight.HoldStore;
import io.headgate.limits.internal.inflight.PlacedHold;
import io.headgate.limits.internal.inflight.Released;
import io.headgate.redis.internal.script.ScriptExecutor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The store of holds in Redis: its places are keys. */
record RedisHolds(HoldKeys keys, HoldPlanner planner, ScriptExecutor executor) implements HoldStore {

    @Override
    public List<String> places(InFlightPolicy policy, Attributes attributes) {
        return policy.rules().stream()
                .map(rule -> keys.key(policy, rule, attributes))
                .toList();
    }

    @Override
    public CompletionStage<Taken> acquire(InFlightPolicy policy, PlacedHold hold) {
        return executor.execute(planner.acquire(policy, hold));
    }

    @Override
    public CompletionStage<InFlight> peek(InFlightPolicy policy, List<String> places) {
        return executor.execute(planner.peek(policy, places));
    }

    @Override
    public CompletionStage<boolean[]> renew(Duration lease, long endsMicros, List<PlacedHold> holds) {
        return executor.execute(planner.renew(HoldPlanner.Renewal.RENEWS, lease, endsMicros, holds));
    }

    /** Extends holds to the lease, and shortens none; completes with whether each was held in all places. */
    CompletionStage<boolean[]> extend(Duration lease, List<PlacedHold> holds) {
        return executor.execute(planner.renew(HoldPlanner.Renewal.EXTENDS, lease, NEVER, holds));
    }

    /** Extends holds as {@link #extend} does, and stores holds that Redis lacks, even beyond the limits. */
    CompletionStage<boolean[]> store(Duration lease, List<PlacedHold> holds) {
        return executor.execute(planner.renew(HoldPlanner.Renewal.STORES, lease, NEVER, holds));
    }

    @Override
    public CompletionStage<List<Released>> release(List<PlacedHold> holds) {
        return executor.execute(planner.release(holds));
    }

    @Override
    public CompletionStage<Boolean> reset(String policy, String place) {
        return executor.execute(planner.reset(policy, place));
    }
}
