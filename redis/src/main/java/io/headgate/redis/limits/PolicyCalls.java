package io.headgate.redis.limits;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.Charge;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Asks for all rules of a policy. */
interface PolicyCalls {

    /** Sends a request by itself, and tells what comes of it. */
    CompletableFuture<Decision> acquire(Ask ask);

    /** What a request would be answered. */
    CompletableFuture<Decision> peek(PolicyPlanner planner, Attributes attributes, long permits);

    /** Takes back charges, of which there is at least one, and tells the most permits of any rule. */
    CompletableFuture<Long> refund(PolicyPlanner planner, Attributes attributes, Map<Rule, Charge> charges);

    /** Takes back what a request was charged whose caller was told that it is denied. */
    void takeBack(Ask ask, Decision decision);

    /** Sends a request by itself, which is told what comes of it. */
    default void send(Ask ask) {
        acquire(ask).whenComplete(ask::end);
    }
}
