package io.headgate.redis.limits.internal.inflight;

import io.headgate.limits.internal.inflight.HoldBatches;
import io.headgate.limits.internal.inflight.PlacedHold;
import io.headgate.redis.internal.connection.Reconciler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Sends the unsynced holds of an engine to Redis, even beyond the limits, because their holders already have them. A hold that another
 * instance may have released is only extended there, and is not stored again.
 */
record HoldReconciler(LocalHolds local, RedisHolds redis) implements Reconciler {

    @Override
    public boolean isSynced() {
        return local.unsynced() == 0;
    }

    @Override
    public CompletableFuture<Void> syncAll() {
        // Including holds that were sent before: Redis may have lost its data since then.
        local.unsyncAll();
        return Reconciler.syncForASecond(this::syncOverdue);
    }

    @Override
    public CompletableFuture<Integer> syncOverdue() {
        List<CompletionStage<Integer>> sent = new ArrayList<>();
        local.nextBatches().forEach((batch, all) -> HoldBatches.of(all).forEach(holds -> sent.add(send(batch, holds))));
        CompletableFuture<Integer> total = CompletableFuture.completedFuture(0);
        for (CompletionStage<Integer> one : sent) {
            total = total.thenCombine(one, Integer::sum);
        }
        return total;
    }

    private CompletionStage<Integer> send(LocalHolds.Batch batch, List<PlacedHold> holds) {
        CompletionStage<boolean[]> sent =
                batch.storesMissing() ? redis.store(batch.lease(), holds) : redis.extend(batch.lease(), holds);
        return sent.thenApply(inRedis -> {
            List<PlacedHold> released = new ArrayList<>();
            for (int i = 0; i < inRedis.length; i++) {
                if (local.replied(holds.get(i), inRedis[i], batch.lease())) {
                    released.add(holds.get(i));
                }
            }
            if (batch.storesMissing() && !released.isEmpty()) {
                // Their releases may have overtaken this call, which has stored them again.
                redis.release(released);
            }
            return holds.size();
        });
    }
}
