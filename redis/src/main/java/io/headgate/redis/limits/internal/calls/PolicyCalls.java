package io.headgate.redis.limits.internal.calls;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.algorithm.Charge;
import io.headgate.redis.internal.script.ScriptExecutor;
import io.headgate.redis.limits.internal.denials.DenialCache;
import io.headgate.redis.limits.internal.planner.AcquireRequest;
import io.headgate.redis.limits.internal.planner.BatchReply;
import io.headgate.redis.limits.internal.planner.BatchSteps;
import io.headgate.redis.limits.internal.planner.PolicyPlanner;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;

/**
 * Sends the script calls of an engine's policies, without batching requests of different callers. If one call may have the keys of all
 * rules, one script decides all rules atomically. Otherwise {@link MultiSlotCalls} sends a call for each rule. While a call that releases
 * permits is in flight, no cached denial of its ids is used.
 */
public final class PolicyCalls {

    private static final int MAX_EQUAL_REQUESTS = 1024;

    private final ScriptExecutor executor;
    private final MultiSlotCalls multiSlot;
    private final DenialCache denials;

    /**
     * Creates a sender of calls.
     *
     * @param multiSlot sends the calls of policies whose rules have keys in several Cluster slots
     * @param denials the cached denials of the engine
     */
    public PolicyCalls(ScriptExecutor executor, MultiSlotCalls multiSlot, DenialCache denials) {
        this.executor = executor;
        this.multiSlot = multiSlot;
        this.denials = denials;
    }

    /** Sends a request, with or without an id, and completes it. */
    void send(PendingRequest pending) {
        PolicyPlanner planner = pending.planner();
        AcquireRequest request = pending.request();
        AcquireRequest.Id id = request.id();
        if (planner.isMultiSlot()) {
            multiSlot.acquire(planner, request).whenComplete(pending::finish);
        } else if (id == null) {
            executor.execute(planner.acquire(request)).whenComplete(pending::finish);
        } else {
            executor.execute(planner.acquireWithId(request, id)).whenComplete((answer, failure) -> {
                if (answer != null) {
                    pending.finish(answer.reply(), answer.problem());
                } else {
                    pending.finish(null, failure);
                }
            });
        }
    }

    /** Acquires permits for the engine itself, such as a lease, with a request without an id. */
    public CompletableFuture<Decision> acquire(PolicyPlanner planner, AcquireRequest request) {
        denials.observeTime(planner, request.requestedMicros());
        return planner.isMultiSlot() ? multiSlot.acquire(planner, request) : executor.execute(planner.acquire(request));
    }

    /**
     * Charges up to this number of permits for the engine itself: as many as the limit has room for, even if other clients charge the same
     * key at the same time. One call makes up to {@value #MAX_EQUAL_REQUESTS} equal requests, and charges as many of them as fit; the next
     * call requests the remainder in smaller requests. So it takes one call for up to 1024 permits, at most two for a million, and three
     * for a billion; and more if Redis skips a batch.
     *
     * @param planner plans calls of a policy whose only rule is not in shadow mode and counts no attempts
     * @param onCharged receives the permits of each call that charged any, even if a later call fails
     */
    public CompletableFuture<Void> acquireUpTo(
            PolicyPlanner planner, Attributes attributes, long permits, LongConsumer onCharged) {
        long size = (permits + MAX_EQUAL_REQUESTS - 1) / MAX_EQUAL_REQUESTS;
        AcquireRequest request = planner.request(attributes, size, planner.localMicros());
        denials.observeTime(planner, request.requestedMicros());
        return acquireEqual(planner, request, (int) (permits / size), onCharged).thenCompose(charged -> {
            // If a request was denied, there is room for fewer permits than it has.
            long rest = Math.min(Math.min(permits - charged.permits(), size - 1), charged.room());
            return rest == 0
                    ? CompletableFuture.completedFuture(null)
                    : acquireUpTo(planner, attributes, rest, onCharged);
        });
    }

    /**
     * The result of equal requests.
     *
     * @param permits the permits that were charged
     * @param room the permits that remain after a denial; {@link Long#MAX_VALUE} if no request was denied
     */
    private record Charged(long permits, long room) {

        private static Charged of(long permits, Decision last, LongConsumer onCharged) {
            if (permits > 0) {
                onCharged.accept(permits);
            }
            return new Charged(permits, last.denied() ? last.remaining() : Long.MAX_VALUE);
        }
    }

    private CompletableFuture<Charged> acquireEqual(
            PolicyPlanner planner, AcquireRequest request, int requests, LongConsumer onCharged) {
        if (requests == 1) {
            return executor.execute(planner.acquire(request))
                    .thenApply(decision -> Charged.of(decision.charged(), decision, onCharged));
        }
        BatchSteps steps = planner.newSteps();
        steps.addEqual(request, requests);
        return executor.execute(planner.acquireBatch(steps)).thenCompose(results -> {
            BatchReply.StepResult result = results.get(0);
            if (result instanceof BatchReply.StepResult.Decided decided) {
                return CompletableFuture.completedFuture(
                        Charged.of(decided.admitted() * request.permits(), decided.last(), onCharged));
            }
            if (result instanceof BatchReply.StepResult.Failed failed) {
                return CompletableFuture.failedFuture(PendingRequest.scriptFailure(request, failed.error()));
            }
            // The step was skipped. A single request widens the entries or corrects the calendar periods first, so that
            // the others can share a call.
            return acquireEqual(planner, request, 1, onCharged)
                    .thenCompose(first -> first.permits() == 0
                            ? CompletableFuture.completedFuture(first)
                            : acquireEqual(planner, request, requests - 1, onCharged)
                                    .thenApply(more -> new Charged(first.permits() + more.permits(), more.room())));
        });
    }

    /** Returns the decision that a request would receive, and charges nothing. */
    public CompletableFuture<Decision> peek(PolicyPlanner planner, Attributes attributes, long permits) {
        return planner.isMultiSlot()
                ? multiSlot.peek(planner, attributes, permits)
                : executor.execute(planner.peek(attributes, permits));
    }

    /**
     * Refunds charges and returns the largest number of permits that a rule refunded.
     *
     * @param charges at least one charge
     * @param chargeId identifies the refunded decision; the refund is recorded under it, so that a second refund returns 0. Empty if no
     *     second refund is possible
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

    /** Resets the count of one rule, and returns whether there was any. */
    public CompletableFuture<Boolean> reset(PolicyPlanner planner, Rule rule, Attributes attributes) {
        return denials.whileReleasing(
                planner, List.of(rule), attributes, () -> executor.execute(planner.reset(rule, attributes)));
    }

    /**
     * Refunds a decision of Redis that arrived after its caller had received a denial. If a single call decided a request with an id, its
     * charge remains, as a retry receives the stored decision.
     */
    public void reverse(PolicyPlanner planner, AcquireRequest request, Decision decision) {
        if (planner.isMultiSlot()) {
            multiSlot.reverse(planner, request, decision);
        } else if (request.id() == null) {
            // The charge of a request with an id remains.
            Map<Rule, Charge> charges = Charge.of(planner.policy(), decision);
            refund(planner, request.attributes(), charges, OptionalLong.empty());
        }
    }
}
