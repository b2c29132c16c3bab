package io.headgate.redis.limits.internal.calls;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.algorithm.Charge;
import io.headgate.redis.internal.script.ScriptExecutor;
import io.headgate.redis.limits.internal.denials.DenialCache;
import io.headgate.redis.limits.internal.planner.AcquireRequest;
import io.headgate.redis.limits.internal.planner.PolicyPlanner;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * Sends the script calls of an engine's policies, one request at a time. Where the keys of all rules may be in one call, one script
 * decides them atomically; {@link MultiSlotCalls} sends those of other policies. What releases permits suspends the cached denials.
 */
public final class PolicyCalls {

    private final ScriptExecutor executor;
    private final MultiSlotCalls multiSlot;
    private final DenialCache denials;

    /**
     * Sends over that executor.
     *
     * @param multiSlot sends the calls of policies whose rules are decided apart
     * @param denials the cached denials of the engine
     */
    public PolicyCalls(ScriptExecutor executor, MultiSlotCalls multiSlot, DenialCache denials) {
        this.executor = executor;
        this.multiSlot = multiSlot;
        this.denials = denials;
    }

    /** Sends a request that may have an id only where its rules are decided apart, and completes it. */
    void send(PendingRequest pending) {
        PolicyPlanner planner = pending.planner();
        if (planner.isMultiSlot()) {
            multiSlot.send(pending);
        } else {
            executor.execute(planner.acquire(pending.request())).whenComplete(pending::finish);
        }
    }

    /** Acquires permits for the engine itself, by a request without an id. */
    public CompletableFuture<Decision> acquire(PolicyPlanner planner, AcquireRequest request) {
        denials.observeTime(planner, request.requestedMicros());
        return planner.isMultiSlot() ? multiSlot.acquire(planner, request) : executor.execute(planner.acquire(request));
    }

    /** The decision that a request would receive. */
    public CompletableFuture<Decision> peek(PolicyPlanner planner, Attributes attributes, long permits) {
        return planner.isMultiSlot()
                ? multiSlot.peek(planner, attributes, permits)
                : executor.execute(planner.peek(attributes, permits));
    }

    /**
     * Refunds charges, of which there is at least one, and returns the most permits of any rule.
     *
     * @param chargeId of the decision that is refunded, which is recorded so that a second refund returns nothing; nothing where
     *     no second refund can come
     */
    public CompletableFuture<Long> refund(
            PolicyPlanner planner, Attributes attributes, Map<Rule, Charge> charges, OptionalLong chargeId) {
        return denials.whileReleasing(
                planner,
                charges.keySet(),
                attributes,
                () -> planner.isMultiSlot()
                        ? multiSlot.refund(planner, attributes, charges, chargeId)
                        : executor.execute(planner.refund(attributes, charges, chargeId)));
    }

    /** Resets the count of one rule; whether there was any. */
    public CompletableFuture<Boolean> reset(PolicyPlanner planner, Rule rule, Attributes attributes) {
        return denials.whileReleasing(
                planner, List.of(rule), attributes, () -> executor.execute(planner.reset(rule, attributes)));
    }

    /** Refunds a late decision by Redis whose caller has received a denial. */
    public void reverse(PolicyPlanner planner, AcquireRequest request, Decision decision) {
        if (planner.isMultiSlot()) {
            multiSlot.reverse(planner, request, decision);
        } else if (!request.hasCallerId()) {
            // A caller that repeats its id is admitted by the kept decision, which must stay charged.
            Map<Rule, Charge> charges = Charge.of(planner.policy(), decision);
            refund(planner, request.attributes(), charges, OptionalLong.empty());
        }
    }
}
