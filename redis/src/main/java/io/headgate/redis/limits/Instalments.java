package io.headgate.redis.limits;

import io.headgate.limits.Decision;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;

/**
 * Charges permits where there may not be room for all, and others take what there is meanwhile: what a denial says is left may be
 * less by the next request. So that asks for all, then for what is left, and where that was gone for as much less as others took, twice over; until all is
 * charged or nothing is left, in few calls. Whoever is late to charge would otherwise charge nothing, as one permit is missing.
 */
final class Instalments {

    private static final int MOST_CALLS = 12;

    private final LongFunction<CompletableFuture<Decision>> asking;
    private final LongConsumer charged;
    private int calls;

    /** How often in a row it was denied, since it knows how much room there is. */
    private int denials;

    /** How much there was room for, as the last denial said. */
    private long room = Long.MAX_VALUE;

    /**
     * By requests for so many permits, one after the other.
     *
     * @param charged is told of each charge, also where a later request fails
     */
    Instalments(LongFunction<CompletableFuture<Decision>> asking, LongConsumer charged) {
        this.asking = asking;
        this.charged = charged;
    }

    /** Charges so many, or as many as there is room for. */
    CompletableFuture<Decision> charge(long owed) {
        return charge(owed, owed);
    }

    private CompletableFuture<Decision> charge(long owed, long asked) {
        return asking.apply(asked).thenCompose(decision -> {
            long spare = decision.denied() ? denied(decision.remaining()) : admitted(asked);
            long rest = decision.denied() ? owed : owed - asked;
            if (rest == 0 || room <= 0 || ++calls == MOST_CALLS) {
                return CompletableFuture.completedFuture(decision);
            }
            return charge(rest, Math.max(1, Math.min(rest, room - spare)));
        });
    }

    private long admitted(long asked) {
        charged.accept(asked);
        denials = 0;
        room -= asked;
        return 0;
    }

    /** How much is to be left to others for now. */
    private long denied(long remaining) {
        boolean wasKnown = room != Long.MAX_VALUE;
        long taken = wasKnown ? Math.max(0, room - remaining) : 0;
        denials += wasKnown ? 1 : 0;
        room = remaining;
        return wasKnown ? Math.max(2 * taken, 1L << denials) : 0;
    }
}
