package io.headgate.redis.limits.internal.inflight;

import io.headgate.limits.internal.inflight.HoldBatches;
import io.headgate.limits.internal.inflight.PlacedHold;
import io.headgate.redis.internal.connection.Reconciler;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Sends to Redis the holds that it does not know, or may have lost. Holds that this engine has acquired during an outage are put
 * back; of others only the lease is extended, where Redis still has them.
 */
final class HoldReconciler implements Reconciler {

    private final LocalHolds local;
    private final RedisHolds redis;

    HoldReconciler(LocalHolds local, RedisHolds redis) {
        this.local = local;
        this.redis = redis;
    }

    @Override
    public boolean isSynced() {
        return local.isSynced();
    }

    @Override
    public CompletableFuture<Void> syncAll() {
        // Also those sent before: Redis may have lost its data since then.
        local.markAllUnsynced();
        return Reconciler.syncForASecond(this::syncOverdue);
    }

    @Override
    public CompletableFuture<Integer> syncOverdue() {
        CompletableFuture<Integer> all = CompletableFuture.completedFuture(0);
        for (Map.Entry<LocalHolds.Batch, List<PlacedHold>> entry :
                local.nextBatches().entrySet()) {
            for (List<PlacedHold> holds : HoldBatches.of(entry.getValue())) {
                all = all.thenCombine(send(entry.getKey(), holds), Integer::sum);
            }
        }
        return all;
    }

    private CompletionStage<Integer> send(LocalHolds.Batch batch, List<PlacedHold> holds) {
        CompletionStage<boolean[]> sent =
                batch.certain() ? redis.putBack(batch.lease(), holds) : redis.lengthen(batch.lease(), holds);
        return sent.thenApply(held -> {
            List<PlacedHold> released = new ArrayList<>();
            for (int i = 0; i < held.length; i++) {
                if (local.replied(holds.get(i), held[i], batch.lease())) {
                    released.add(holds.get(i));
                }
            }
            if (batch.certain() && !released.isEmpty()) {
                // The release may have overtaken the call that put them back.
                redis.release(batch.policy(), released);
            }
            return holds.size();
        });
    }
}
