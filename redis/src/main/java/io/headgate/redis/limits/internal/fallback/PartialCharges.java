package io.headgate.redis.limits.internal.fallback;

import io.headgate.limits.Decision;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;

/**
 * Charges as many permits as fit under a limit, in up to twelve requests, while others charge the same key: what a denial reports as
 * remaining may be less by the next request. The first request is for all permits, the second for what remains. After another
 * denial the request shrinks by twice what others took meanwhile, and by at least a power of two (exponential backoff). Otherwise a late
 * caller would charge nothing, as one permit is missing each time.
 */
final class PartialCharges {

    private static final int MAX_REQUESTS = 12;

    private final LongFunction<CompletableFuture<Decision>> request;
    private final LongConsumer onCharged;
    private int requests;

    /** The denials in a row since the room is known. */
    private int denials;

    /** What remained, as the last denial reported. */
    private long room = Long.MAX_VALUE;

    /**
     * Creates a sequence of requests, for one use.
     *
     * @param request requests that many permits
     * @param onCharged receives each number of permits that was charged, also when a later request fails
     */
    PartialCharges(LongFunction<CompletableFuture<Decision>> request, LongConsumer onCharged) {
        this.request = request;
        this.onCharged = onCharged;
    }

    /** Charges that many permits, or as many as there is room for. */
    CompletableFuture<Decision> charge(long permits) {
        return charge(permits, permits);
    }

    private CompletableFuture<Decision> charge(long uncharged, long requested) {
        return request.apply(requested).thenCompose(decision -> {
            long margin = decision.denied() ? denied(decision.remaining()) : admitted(requested);
            long rest = decision.denied() ? uncharged : uncharged - requested;
            if (rest == 0 || room <= 0 || ++requests == MAX_REQUESTS) {
                return CompletableFuture.completedFuture(decision);
            }
            return charge(rest, Math.max(1, Math.min(rest, room - margin)));
        });
    }

    private long admitted(long requested) {
        onCharged.accept(requested);
        denials = 0;
        room -= requested;
        return 0;
    }

    /** The permits of the room to leave to others in the next request. */
    private long denied(long remaining) {
        boolean wasKnown = room != Long.MAX_VALUE;
        long takenByOthers = wasKnown ? Math.max(0, room - remaining) : 0;
        denials += wasKnown ? 1 : 0;
        room = remaining;
        return wasKnown ? Math.max(2 * takenByOthers, 1L << denials) : 0;
    }
}
