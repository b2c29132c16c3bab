package io.headgate.redis.limits;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.Charge;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/** Asks for the rules of each policy together, where one call may hold all of their keys, else apart. */
record CallsByPolicy(PolicyCalls together, PolicyCalls apart) implements PolicyCalls {

    private PolicyCalls of(PolicyPlanner planner) {
        return planner.isApart() ? apart : together;
    }

    @Override
    public CompletableFuture<Decision> acquire(Ask ask) {
        return of(ask.planner()).acquire(ask);
    }

    @Override
    public CompletableFuture<Decision> peek(PolicyPlanner planner, Attributes attributes, long permits) {
        return of(planner).peek(planner, attributes, permits);
    }

    @Override
    public CompletableFuture<Long> refund(
            PolicyPlanner planner, Attributes attributes, Map<Rule, Charge> charges, OptionalLong chargeId) {
        return of(planner).refund(planner, attributes, charges, chargeId);
    }

    @Override
    public void takeBack(Ask ask, Decision decision) {
        of(ask.planner()).takeBack(ask, decision);
    }
}
