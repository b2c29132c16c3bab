package io.headgate.redis.inflight;

import io.headgate.limits.internal.HoldStore;
import io.headgate.limits.internal.PlacedHold;
import io.headgate.redis.internal.Debts;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Tells Redis of holds that it does not know, or may have forgotten: of what was handed out here that they are held, and of others it asks. */
record HoldDebts(HeldHere here, RedisHolds redis) implements Debts {

    /** As many entries as a renewal has. */
    private static final int BATCH_ENTRIES = 500;

    private static final long MOST_PAYING_NANOS = TimeUnit.SECONDS.toNanos(1);

    @Override
    public boolean isEmpty() {
        return here.owesNothing();
    }

    @Override
    public CompletableFuture<Void> payAll() {
        here.oweAll();
        return pay(System.nanoTime() + MOST_PAYING_NANOS);
    }

    private CompletableFuture<Void> pay(long untilNanos) {
        return payLate()
                .thenCompose(told -> told > 0 && !isEmpty() && System.nanoTime() - untilNanos < 0
                        ? pay(untilNanos)
                        : CompletableFuture.completedFuture(null));
    }

    @Override
    public CompletableFuture<Integer> payLate() {
        List<CompletableFuture<Integer>> calls = here.inOrder(this::send);
        CompletableFuture<Integer> all = CompletableFuture.completedFuture(0);
        for (CompletableFuture<Integer> call : calls) {
            all = all.thenCombine(call, Integer::sum);
        }
        return all;
    }

    private List<CompletableFuture<Integer>> send() {
        List<CompletableFuture<Integer>> calls = new ArrayList<>();
        here.owed().forEach((common, holds) -> {
            List<PlacedHold> batch = new ArrayList<>();
            long entries = 0;
            for (PlacedHold hold : holds) {
                if (!batch.isEmpty() && entries + hold.entries() > BATCH_ENTRIES) {
                    calls.add(send(common, batch));
                    batch = new ArrayList<>();
                    entries = 0;
                }
                batch.add(hold);
                entries += hold.entries();
            }
            calls.add(send(common, batch));
        });
        return calls;
    }

    private CompletableFuture<Integer> send(HeldHere.Common common, List<PlacedHold> holds) {
        return (common.vouched()
                        ? redis.putBack(common.lease(), HoldStore.NEVER, holds)
                        : redis.renew(common.policy(), common.lease(), HoldStore.NEVER, holds))
                .thenApply(held -> {
                    here.told(holds, held);
                    return holds.size();
                })
                .toCompletableFuture();
    }
}
