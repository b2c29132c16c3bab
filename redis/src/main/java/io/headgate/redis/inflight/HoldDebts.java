package io.headgate.redis.inflight;

import io.headgate.limits.internal.HoldBatches;
import io.headgate.limits.internal.PlacedHold;
import io.headgate.redis.internal.Debts;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Tells Redis of holds that it does not know, or may have forgotten: of what was handed out here that they are held, and of others it asks. */
final class HoldDebts implements Debts {

    private final HeldHere here;
    private final RedisHolds redis;

    HoldDebts(HeldHere here, RedisHolds redis) {
        this.here = here;
        this.redis = redis;
    }

    @Override
    public boolean isEmpty() {
        return here.owesNothing();
    }

    @Override
    public CompletableFuture<Void> payAll() {
        // Also what it was told before: it may have gone and lost its data since then.
        here.oweAll();
        return Debts.payForASecond(this::payLate);
    }

    @Override
    public CompletableFuture<Integer> payLate() {
        CompletableFuture<Integer> all = CompletableFuture.completedFuture(0);
        for (Map.Entry<HeldHere.Common, List<PlacedHold>> batch : here.toTell().entrySet()) {
            for (List<PlacedHold> holds : HoldBatches.of(batch.getValue())) {
                all = all.thenCombine(tell(batch.getKey(), holds), Integer::sum);
            }
        }
        return all;
    }

    private CompletionStage<Integer> tell(HeldHere.Common common, List<PlacedHold> holds) {
        CompletionStage<boolean[]> telling =
                common.sure() ? redis.putBack(common.lease(), holds) : redis.lengthen(common.lease(), holds);
        return telling.thenApply(held -> {
            List<PlacedHold> over = here.told(holds, held, common.lease());
            if (common.sure() && !over.isEmpty()) {
                // A release may have gone before, as calls may overtake each other.
                redis.release(common.policy(), over);
            }
            return holds.size();
        });
    }
}
