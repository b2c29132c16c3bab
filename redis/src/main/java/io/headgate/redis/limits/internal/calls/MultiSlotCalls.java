package io.headgate.redis.limits.internal.calls;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.LimiterException;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.Causes;
import io.headgate.limits.internal.algorithm.Charge;
import io.headgate.limits.internal.decision.EngineDecisions;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import io.headgate.redis.internal.script.ScriptExecutor;
import io.headgate.redis.limits.internal.denials.DenialCache;
import io.headgate.redis.limits.internal.denials.RefundListener;
import io.headgate.redis.limits.internal.planner.AcquireRequest;
import io.headgate.redis.limits.internal.planner.IdempotencyPlanner;
import io.headgate.redis.limits.internal.planner.PolicyPlanner;
import io.headgate.redis.limits.internal.planner.RulePlanner;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends the calls of policies whose rules have keys in several slots of a Cluster, where a call can hold keys of one slot only: one
 * call for each rule, in parallel. A request is a saga (Garcia-Molina and Salem, 1987): each rule that admits it charges at once; where
 * another rule denies it, or its call fails, the charges are refunded. So each rule counts at least what Redis admitted under it, whatever
 * reply is lost or late.
 */
public final class MultiSlotCalls {

    private final ScriptExecutor executor;
    private final RefundListener refundListener;
    private final DenialCache denials;

    /**
     * Sends over that executor.
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
        return new Saga(planner, request).start();
    }

    /** Refunds the charge of one rule, and notifies those whom that may admit. */
    private void refund(PolicyPlanner planner, AcquireRequest request, RulePlanner rule, Charge charged) {
        AcquireRequest.Id id = request.id();
        Attributes attributes = request.attributes();
        // Refunds happen all the time: of a bucket no more is refunded than is surely charged without the requests
        // before.
        Charge charge = charged.surelyLeft(rule.rule().limit(), charged.permits());
        List<Rule> rules = List.of(rule.rule());
        denials.whileReleasing(
                        planner,
                        rules,
                        attributes,
                        () -> executor.executeInAnyCase(
                                id == null
                                        ? rule.refund(attributes, charge, OptionalLong.empty())
                                        : rule.refundOnce(request, id, charge)))
                .thenAccept(permits -> refundListener.refunded(planner, rules, attributes, permits));
    }

    /** Refunds a late decision by Redis whose caller has received a denial. */
    void reverse(PolicyPlanner planner, AcquireRequest request, Decision decision) {
        Map<Rule, Charge> charges = Charge.of(planner.policy(), decision);
        for (RulePlanner rule : planner.rulePlanners()) {
            Charge charge = charges.get(rule.rule());
            if (charge != null && charge.permits() > 0) {
                refund(planner, request, rule, charge);
            }
        }
    }

    /** Refunds charges, and returns the most permits of any rule. */
    CompletableFuture<Long> refund(
            PolicyPlanner planner, Attributes attributes, Map<Rule, Charge> charges, OptionalLong chargeId) {
        List<CompletableFuture<Long>> calls = new ArrayList<>();
        for (RulePlanner rule : planner.rulePlanners()) {
            Charge charge = charges.get(rule.rule());
            if (charge != null && charge.permits() > 0) {
                calls.add(executor.execute(rule.refund(attributes, charge, chargeId)));
            }
        }
        // No calls, where only shadow rules admitted it and were charged nothing.
        return whenAllEnd(
                calls,
                counts -> counts.stream().mapToLong(Long::longValue).max().orElse(0));
    }

    /** The decision that a request would receive. */
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

    /** Fails with the failure of the first call, in their order, that fails. */
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

    /**
     * One request, whose rules reserve its permits each by itself. When all rules have admitted it, the request is admitted. When one
     * denies it, the decision comes after all replies; when a call fails, the request fails at once. Then the reservation of each rule is
     * refunded exactly once, also one whose reply comes later. Safe for the threads on which replies come.
     */
    private final class Saga {

        private final PolicyPlanner planner;
        private final AcquireRequest request;
        private final List<RulePlanner> rules;
        private final CompletableFuture<Decision> decision = new CompletableFuture<>();

        /** By rule. The thread that refunds a reservation takes it out, so there is one refund. */
        private final AtomicReferenceArray<RulePlanner.@Nullable Reservation> reservations;

        private final AtomicInteger sent = new AtomicInteger();
        private final AtomicInteger ended = new AtomicInteger();

        /** How many rules denied the request, and so have charged nothing that needs a refund. */
        private final AtomicInteger denied = new AtomicInteger();

        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

        Saga(PolicyPlanner planner, AcquireRequest request) {
            this.planner = planner;
            this.request = request;
            this.rules = planner.rulePlanners();
            this.reservations = new AtomicReferenceArray<>(rules.size());
        }

        /** Sends the calls. When the returned future is done, refunds are sent, but for those of reservations whose replies come later. */
        CompletableFuture<Decision> start() {
            for (int i = 0; i < rules.size() && failure.get() == null; i++) {
                int rule = i;
                sent.incrementAndGet();
                reserve(rules.get(i)).whenComplete((reservation, problem) -> ended(rule, reservation, problem));
            }
            return decision;
        }

        private CompletableFuture<RulePlanner.Reservation> reserve(RulePlanner rule) {
            AcquireRequest.Id id = request.id();
            return id == null
                    ? executor.execute(rule.reserve(request))
                    : executor.execute(rule.reserveOnce(request, id)).thenApply(IdempotencyPlanner.Answer::orThrow);
        }

        @SuppressWarnings("CatchingUnchecked") // the caller must receive it
        private void ended(int rule, RulePlanner.@Nullable Reservation reservation, @Nullable Throwable problem) {
            try {
                take(rule, reservation, problem);
            } catch (Throwable e) {
                decision.completeExceptionally(e);
            }
        }

        private void take(int rule, RulePlanner.@Nullable Reservation reservation, @Nullable Throwable problem) {
            if (reservation != null) {
                reservations.set(rule, reservation);
                if (reservation.denies()) {
                    denied.incrementAndGet();
                }
                if (failure.get() != null) {
                    refund(rule);
                }
            } else if (problem != null && failure.compareAndSet(null, problem)) {
                fail(Causes.of(problem));
            }
            if (ended.incrementAndGet() == rules.size() && failure.get() == null) {
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
            long[] atMicros = new long[rules.size()];
            EngineRuleDecision[] decisions = new EngineRuleDecision[rules.size()];
            for (int i = 0; i < decisions.length; i++) {
                RulePlanner.Reservation one = reservations.get(i);
                if (one == null) {
                    throw new IllegalStateException("rule " + i + " has answered, and its answer is gone");
                }
                atMicros[i] = one.atMicros();
                decisions[i] = admitted ? one.decision() : one.decisionIfDenied();
            }
            if (!admitted) {
                refundAll();
            }
            decision.complete(EngineDecisions.of(planner.policy(), atMicros, request.permits(), decisions));
        }

        private void refundAll() {
            for (int i = 0; i < rules.size(); i++) {
                refund(i);
            }
        }

        private void refund(int rule) {
            RulePlanner.Reservation one = reservations.getAndSet(rule, null);
            if (one != null && one.needsRefund(request.id() != null)) {
                MultiSlotCalls.this.refund(planner, request, rules.get(rule), one.charge(request.permits()));
            }
        }
    }
}
