package io.headgate.redis.inflight;

import io.headgate.limits.internal.HoldBatches;
import io.headgate.limits.internal.PlacedHold;
import io.headgate.redis.internal.Reconciler;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Sends to Redis the holds that it does not know, or may have lost. Holds that this engine has taken during an outage are put back; of
 * others only the lease is extended, where Redis still has them.
 */
final class HoldReconciler implements Reconciler {

    private final HeldHere here;
    private final RedisHolds redis;

    HoldReconciler(HeldHere here, RedisHolds redis) {
        this.here = here;
        this.redis = redis;
    }

    @Override
    public boolean isSynced() {
        return here.owesNothing();
    }

    @Override
    public CompletableFuture<Void> syncAll() {
        // Also those sent before: Redis may have lost its data since then.
        here.oweAll();
        return Reconciler.syncForASecond(this::syncOverdue);
    }

    @Override
    public CompletableFuture<Integer> syncOverdue() {
        CompletableFuture<Integer> all = CompletableFuture.completedFuture(0);
        for (Map.Entry<HeldHere.Common, List<PlacedHold>> batch : here.toTell().entrySet()) {
            for (List<PlacedHold> holds : HoldBatches.of(batch.getValue())) {
                all = all.thenCombine(sync(batch.getKey(), holds), Integer::sum);
            }
        }
        return all;
    }

    private CompletionStage<Integer> sync(HeldHere.Common common, List<PlacedHold> holds) {
        CompletionStage<boolean[]> sent =
                common.sure() ? redis.putBack(common.lease(), holds) : redis.lengthen(common.lease(), holds);
        return sent.thenApply(held -> {
            List<PlacedHold> released = here.told(holds, held, common.lease());
            if (common.sure() && !released.isEmpty()) {
                // They were released meanwhile, and that call may have overtaken this one.
                redis.release(common.policy(), released);
            }
            return holds.size();
        });
    }
}
