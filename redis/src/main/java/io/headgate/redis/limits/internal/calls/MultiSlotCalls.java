package io.headgate.redis.limits.internal.calls;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.Causes;
import io.headgate.limits.internal.algorithm.Charge;
import io.headgate.limits.internal.decision.EngineDecisions;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import io.headgate.redis.internal.script.ScriptExecutor;
import io.headgate.redis.limits.internal.calls.ReservationSaga.Part;
import io.headgate.redis.limits.internal.denials.DenialCache;
import io.headgate.redis.limits.internal.denials.RefundListener;
import io.headgate.redis.limits.internal.planner.AcquireRequest;
import io.headgate.redis.limits.internal.planner.CombinedPlanner;
import io.headgate.redis.limits.internal.planner.PolicyPlanner;
import io.headgate.redis.limits.internal.planner.RulePlanner;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Sends one call for each rule of a request, in parallel. This is necessary if the rules have keys in several slots of a Cluster, as all
 * keys of a call must be in one slot, or if there is no script for all rules of a combined request. A {@link ReservationSaga} combines the
 * decisions of the rules.
 */
public final class MultiSlotCalls {

    private final ScriptExecutor executor;
    private final RefundListener refundListener;
    private final DenialCache denials;

    /**
     * Creates a sender of calls.
     *
     * @param refundListener is notified of refunds
     * @param denials the cached denials of the engine
     */
    public MultiSlotCalls(ScriptExecutor executor, RefundListener refundListener, DenialCache denials) {
        this.executor = executor;
        this.refundListener = refundListener;
        this.denials = denials;
    }

    /** Sends a request, with or without an id. */
    CompletableFuture<Decision> acquire(PolicyPlanner planner, AcquireRequest request) {
        Part part = new Part(planner, request, planner.rulePlanners());
        return new ReservationSaga<>(executor, this::refund, List.of(part), decisions -> decisions.get(0)).start();
    }

    /**
     * Sends one request under several policies, with one call for each rule.
     *
     * @param requests the request to each policy, without a request id
     */
    CompletableFuture<List<Decision>> acquire(CombinedPlanner planner, List<AcquireRequest> requests) {
        List<Part> parts = new ArrayList<>();
        for (int i = 0; i < requests.size(); i++) {
            parts.add(new Part(planner.planners().get(i), requests.get(i), planner.rulePlanners(i)));
        }
        return new ReservationSaga<>(executor, this::refund, parts, decisions -> decisions).start();
    }

    /** Refunds the charge of one rule, and notifies the refund listener. */
    private void refund(PolicyPlanner planner, AcquireRequest request, RulePlanner rule, Charge charged) {
        AcquireRequest.Id id = request.id();
        Attributes attributes = request.attributes();
        // Other refunds may have let a bucket pay off this charge sooner than its decision states. So only the part is
        // refunded that is certainly not paid off yet.
        Charge charge = charged.surelyLeft(rule.rule().limit(), charged.permits());
        List<Rule> rules = List.of(rule.rule());
        denials.whileReleasing(
                        planner,
                        rules,
                        attributes,
                        () -> executor.executeInAnyCase(
                                id == null
                                        ? rule.refund(attributes, charge, OptionalLong.empty())
                                        : rule.refundWithId(request, id, charge)))
                .thenAccept(permits -> refundListener.refunded(planner, rules, attributes, permits));
    }

    /**
     * Refunds a decision of Redis that arrived after its caller had received a denial. For a request with an id, a rule deletes its stored
     * reply, or refunds nothing if other callers have received that reply, too.
     */
    void reverse(PolicyPlanner planner, AcquireRequest request, Decision decision) {
        Map<Rule, Charge> charges = Charge.of(planner.policy(), decision);
        for (RulePlanner rule : planner.rulePlanners()) {
            Charge charge = charges.get(rule.rule());
            if (charge != null && charge.permits() > 0) {
                refund(planner, request, rule, charge);
            }
        }
    }

    /** Refunds charges, and returns the largest number of permits that a rule refunded. */
    CompletableFuture<Long> refund(
            PolicyPlanner planner, Attributes attributes, Map<Rule, Charge> charges, OptionalLong chargeId) {
        List<CompletableFuture<Long>> calls = new ArrayList<>();
        for (RulePlanner rule : planner.rulePlanners()) {
            Charge charge = charges.get(rule.rule());
            if (charge != null && charge.permits() > 0) {
                calls.add(executor.execute(rule.refund(attributes, charge, chargeId)));
            }
        }
        // There are no calls if the decision charged no rule: all are in shadow mode, and each would have denied it.
        return whenAllEnd(
                calls,
                counts -> counts.stream().mapToLong(Long::longValue).max().orElse(0));
    }

    /** Returns the decision that a request would receive, and charges nothing. */
    CompletableFuture<Decision> peek(PolicyPlanner planner, Attributes attributes, long permits) {
        long atMicros = planner.timeMicros();
        List<CompletableFuture<RulePlanner.Peeked>> calls = new ArrayList<>();
        for (RulePlanner rule : planner.rulePlanners()) {
            calls.add(executor.execute(rule.peek(attributes, permits, atMicros)));
        }
        return whenAllEnd(
                calls,
                peeked -> EngineDecisions.of(
                        planner.policy(),
                        peeked.stream().mapToLong(RulePlanner.Peeked::atMicros).toArray(),
                        0,
                        peeked.stream().map(RulePlanner.Peeked::decision).toArray(EngineRuleDecision[]::new)));
    }

    /** Completes when all calls have ended. If several calls fail, it fails as the first of them in the list. */
    private static <T, R> CompletableFuture<R> whenAllEnd(
            List<CompletableFuture<T>> calls, Function<List<T>, R> result) {
        CompletableFuture<R> all = new CompletableFuture<>();
        CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new))
                .thenApply(any ->
                        result.apply(calls.stream().map(CompletableFuture::join).toList()))
                .whenComplete((answer, problem) -> {
                    if (problem != null) {
                        all.completeExceptionally(Causes.of(problem));
                    } else {
                        all.complete(answer);
                    }
                });
        return all;
    }
}
