package io.headgate.redis.limits;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.Charge;
import io.headgate.redis.internal.ScriptExecutor;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/** Asks for all rules of a policy in one call. */
record CallsTogether(ScriptExecutor executor, DenialCache denials) implements PolicyCalls {

    @Override
    public CompletableFuture<Decision> acquire(Ask ask) {
        denials.observeTime(ask);
        return executor.execute(ask.planner().acquire(ask));
    }

    @Override
    public CompletableFuture<Decision> peek(PolicyPlanner planner, Attributes attributes, long permits) {
        return executor.execute(planner.peek(attributes, permits));
    }

    @Override
    public CompletableFuture<Long> refund(
            PolicyPlanner planner, Attributes attributes, Map<Rule, Charge> charges, OptionalLong chargeId) {
        return denials.whileReleasing(
                planner,
                charges.keySet(),
                attributes,
                () -> executor.execute(planner.refund(attributes, charges, chargeId)));
    }

    @Override
    public void takeBack(Ask ask, Decision decision) {
        if (ask.id() != null && !ask.id().isOwn()) {
            // Its caller may ask again under the id, and is then told that it is admitted, which must be charged.
            return;
        }
        PolicyPlanner planner = ask.planner();
        Map<Rule, Charge> charges = Charge.of(planner.policy(), decision);
        refund(planner, ask.attributes(), charges, OptionalLong.empty());
    }
}
