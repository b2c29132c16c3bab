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
 * One request whose rules, of one or several policies, are decided by a call each: a saga (Garcia-Molina and Salem, 1987). A rule that
 * admits the request charges it immediately: this is its reservation. If all rules admit the request, it is admitted. If a rule denies it,
 * it is denied after all replies; if a call fails, it fails immediately. In both cases one refund is sent for each reservation, even if its
 * reply arrives later. Only a rule that counts attempts keeps its charge. So each rule counts at least what Redis admitted under it, even
 * if replies are lost or late.
 *
 * <p>Safe for use by several threads: replies may arrive on different ones.
 *
 * @param <R> the result: one decision, or a list with one for each policy
 */
final class ReservationSaga<R> {

    /** Refunds reservations. */
    interface Refunds {

        /** Refunds the reservation of one rule for a request. */
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

    /** The reservations by step. The thread that refunds one removes it, so it is refunded once. */
    private final AtomicReferenceArray<RulePlanner.@Nullable Reservation> reservations;

    private final AtomicInteger sent = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();

    /** How many rules denied the request. */
    private final AtomicInteger denied = new AtomicInteger();

    /** How many rules denied the request and charged nothing. A rule that counts attempts charges a denied one, too. */
    private final AtomicInteger uncharged = new AtomicInteger();

    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    /**
     * Creates a saga; {@link #start} sends its calls.
     *
     * @param refunds refunds reservations of a request that is not admitted
     * @param result combines the decisions of all parts into the result
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

    /** Sends the calls. When the returned future completes, all refunds are sent, except for reservations whose replies arrive later. */
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
                : executor.execute(step.rule().reserveWithId(request, id))
                        .thenApply(IdempotencyPlanner.Answer::orThrow);
    }

    @SuppressWarnings("CatchingUnchecked") // the caller must receive it
    private void ended(int step, RulePlanner.@Nullable Reservation reservation, @Nullable Throwable problem) {
        try {
            onReply(step, reservation, problem);
        } catch (Throwable e) {
            decision.completeExceptionally(e);
        }
    }

    private void onReply(int step, RulePlanner.@Nullable Reservation reservation, @Nullable Throwable problem) {
        if (reservation != null) {
            reservations.set(step, reservation);
            if (reservation.denies()) {
                denied.incrementAndGet();
                if (!steps.get(step).rule().rule().countsAttempts()) {
                    uncharged.incrementAndGet();
                }
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
        // Calls in flight may still charge, a charge remains if its refund fails, and an attempt is not refunded.
        // Not counted are rules that denied without a charge, and the failed call: its failure states its effect.
        boolean mayBeCharged = sent.get() - 1 > uncharged.get();
        refundAll();
        decision.completeExceptionally(
                problem instanceof LimiterException of && mayBeCharged && !of.mayBeCharged()
                        ? new LimiterException(of.operation(), of.key(), withPossibleCharge(of), true, of)
                        : problem);
    }

    private static String withPossibleCharge(LimiterException failure) {
        return failure.problem() + "; other rules may have charged it; refunds are sent, except of counted attempts";
    }

    private void decide() {
        boolean admitted = denied.get() == 0;
        long[] atMicros = new long[steps.size()];
        EngineRuleDecision[] rules = new EngineRuleDecision[steps.size()];
        for (int i = 0; i < rules.length; i++) {
            RulePlanner.Reservation one = reservations.get(i);
            if (one == null) {
                throw new IllegalStateException("rule " + i + " has replied, but its reservation is missing");
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
