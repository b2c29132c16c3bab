package io.headgate.redis.limits;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.Charge;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/** Asks for all rules of a policy. */
interface PolicyCalls {

    /** Sends a request by itself, and tells what comes of it. */
    CompletableFuture<Decision> acquire(Ask ask);

    /** What a request would be answered. */
    CompletableFuture<Decision> peek(PolicyPlanner planner, Attributes attributes, long permits);

    /**
     * Takes back charges, of which there is at least one, and returns the most permits of any rule. Meanwhile no denial of these ids is
     * answered from the cache.
     *
     * @param chargeId of the decision that is refunded, which is recorded so that a second refund takes nothing back; nothing where
     *     no second refund can come
     */
    CompletableFuture<Long> refund(
            PolicyPlanner planner, Attributes attributes, Map<Rule, Charge> charges, OptionalLong chargeId);

    /** Takes back what a request was charged whose caller was told that it is denied. */
    void takeBack(Ask ask, Decision decision);

    /** Sends a request by itself, which is told what comes of it. */
    default void send(Ask ask) {
        acquire(ask).whenComplete(ask::end);
    }
}
