package io.headgate.redis.limits.internal.calls;

import io.headgate.limits.Decision;
import io.headgate.limits.LimiterException;
import io.headgate.limits.internal.Causes;
import io.headgate.limits.internal.algorithm.Charge;
import io.headgate.limits.internal.decision.EngineDecisions;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import io.headgate.redis.internal.script.ScriptExecutor;
import io.headgate.redis.limits.internal.planner.AcquireRequest;
import io.headgate.redis.limits.internal.planner.IdempotencyPlanner;
import io.headgate.redis.limits.internal.planner.PolicyPlanner;
import io.headgate.redis.limits.internal.planner.RulePlanner;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One request under one or several policies, whose rules reserve its permits each by itself: a saga (Garcia-Molina and Salem, 1987).
 * Each rule that admits it charges at once. When all rules have admitted it, the request is admitted. When one denies it, the decision
 * comes after all replies; when a call fails, the request fails at once. Then the reservation of each rule is refunded exactly once,
 * also one whose reply comes later. So each rule counts at least what Redis admitted under it, whatever reply is lost or late.
 *
 * <p>Safe for the threads on which replies come.
 *
 * @param <R> the result: one decision, or one for each policy
 */
final class ReservationSaga<R> {

    /** Refunds reservations. */
    interface Refunds {

        /** Refunds what one rule has reserved for a request. */
        void refund(PolicyPlanner planner, AcquireRequest request, RulePlanner rule, Charge charge);
    }

    /** The request to one policy, and all rules of that policy. */
    record Part(PolicyPlanner planner, AcquireRequest request, List<RulePlanner> rules) {}

    /** One rule of a part. */
    private record Step(Part part, RulePlanner rule) {

        AcquireRequest request() {
            return part.request();
        }
    }

    private final ScriptExecutor executor;
    private final Refunds refunds;
    private final List<Part> parts;

    /** The rules of all parts. */
    private final List<Step> steps;

    private final Function<List<Decision>, R> result;
    private final CompletableFuture<R> decision = new CompletableFuture<>();

    /** By step. The thread that refunds a reservation takes it out, so there is one refund. */
    private final AtomicReferenceArray<RulePlanner.@Nullable Reservation> reservations;

    private final AtomicInteger sent = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();

    /** How many rules denied the request, and so have charged nothing that needs a refund. */
    private final AtomicInteger denied = new AtomicInteger();

    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    /**
     * A saga that is not started.
     *
     * @param refunds refunds reservations of a request that is not admitted
     * @param result makes the result of the decisions of all parts
     */
    ReservationSaga(ScriptExecutor executor, Refunds refunds, List<Part> parts, Function<List<Decision>, R> result) {
        this.executor = executor;
        this.refunds = refunds;
        this.parts = parts;
        this.steps = parts.stream()
                .flatMap(part -> part.rules().stream().map(rule -> new Step(part, rule)))
                .toList();
        this.result = result;
        this.reservations = new AtomicReferenceArray<>(steps.size());
    }

    /** Sends the calls. When the returned future is done, refunds are sent, but for those of reservations whose replies come later. */
    CompletableFuture<R> start() {
        for (int i = 0; i < steps.size() && failure.get() == null; i++) {
            int step = i;
            sent.incrementAndGet();
            reserve(steps.get(i)).whenComplete((reservation, problem) -> ended(step, reservation, problem));
        }
        return decision;
    }

    private CompletableFuture<RulePlanner.Reservation> reserve(Step step) {
        AcquireRequest request = step.request();
        AcquireRequest.Id id = request.id();
        return id == null
                ? executor.execute(step.rule().reserve(request))
                : executor.execute(step.rule().reserveOnce(request, id)).thenApply(IdempotencyPlanner.Answer::orThrow);
    }

    @SuppressWarnings("CatchingUnchecked") // the caller must receive it
    private void ended(int step, RulePlanner.@Nullable Reservation reservation, @Nullable Throwable problem) {
        try {
            take(step, reservation, problem);
        } catch (Throwable e) {
            decision.completeExceptionally(e);
        }
    }

    private void take(int step, RulePlanner.@Nullable Reservation reservation, @Nullable Throwable problem) {
        if (reservation != null) {
            reservations.set(step, reservation);
            if (reservation.denies()) {
                denied.incrementAndGet();
            }
            if (failure.get() != null) {
                refund(step);
            }
        } else if (problem != null && failure.compareAndSet(null, problem)) {
            fail(Causes.of(problem));
        }
        if (ended.incrementAndGet() == steps.size() && failure.get() == null) {
            decide();
        }
    }

    private void fail(Throwable problem) {
        // Calls that have not ended may charge, and a charge stays where its refund fails.
        boolean mayBeCharged = sent.get() - 1 > denied.get();
        refundAll();
        decision.completeExceptionally(
                problem instanceof LimiterException of && mayBeCharged && !of.mayBeCharged()
                        ? new LimiterException(of.operation(), of.key(), unsure(of), true, of)
                        : problem);
    }

    private static String unsure(LimiterException failure) {
        return failure.problem() + "; other rules may have charged it, and are asked to take that back";
    }

    private void decide() {
        boolean admitted = denied.get() == 0;
        long[] atMicros = new long[steps.size()];
        EngineRuleDecision[] rules = new EngineRuleDecision[steps.size()];
        for (int i = 0; i < rules.length; i++) {
            RulePlanner.Reservation one = reservations.get(i);
            if (one == null) {
                throw new IllegalStateException("rule " + i + " has answered, and its answer is gone");
            }
            atMicros[i] = one.atMicros();
            rules[i] = admitted ? one.decision() : one.decisionIfDenied();
        }
        if (!admitted) {
            refundAll();
        }
        decision.complete(result.apply(decisions(atMicros, rules, admitted)));
    }

    private List<Decision> decisions(long[] atMicros, EngineRuleDecision[] rules, boolean admitted) {
        List<Decision> decisions = new ArrayList<>(parts.size());
        int from = 0;
        for (Part part : parts) {
            int to = from + part.rules().size();
            decisions.add(EngineDecisions.of(
                    part.planner().policy(),
                    Arrays.copyOfRange(atMicros, from, to),
                    admitted ? part.request().permits() : 0,
                    Arrays.copyOfRange(rules, from, to)));
            from = to;
        }
        return decisions;
    }

    private void refundAll() {
        for (int i = 0; i < steps.size(); i++) {
            refund(i);
        }
    }

    private void refund(int index) {
        RulePlanner.Reservation one = reservations.getAndSet(index, null);
        Step step = steps.get(index);
        AcquireRequest request = step.request();
        if (one != null && one.needsRefund(request.id() != null)) {
            refunds.refund(step.part().planner(), request, step.rule(), one.charge(request.permits()));
        }
    }
}
