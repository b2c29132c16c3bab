package io.headgate.redis.limits;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.internal.Causes;
import io.headgate.limits.internal.Charge;
import io.headgate.redis.internal.ScriptExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Asks the rules of a policy apart, each in a call of its own, since in a Cluster no call can hold keys of several slots. A
 * request is admitted when all rules admit it; where one denies it or can't be asked, what the others have charged is taken
 * back. So a rule counts at least what was admitted under it, whatever is lost or late, and never less.
 */
final class CallsApart implements PolicyCalls {

    private final ScriptExecutor executor;
    private final CallsWithId once;
    private final RefundListener givenBack;
    private final DenialCache denials;

    /**
     * Over that executor.
     *
     * @param once sends requests that have ids
     * @param givenBack is notified of permits that were refunded
     * @param denials the cached denials of the engine
     */
    CallsApart(ScriptExecutor executor, CallsWithId once, RefundListener givenBack, DenialCache denials) {
        this.executor = executor;
        this.once = once;
        this.givenBack = givenBack;
        this.denials = denials;
    }

    @Override
    public CompletableFuture<Decision> acquire(Ask ask) {
        denials.observeTime(ask);
        List<RulePart> parts = ask.planner().parts();
        Reservation all = new Reservation(ask, this::giveBack);
        for (int i = 0; i < parts.size() && !all.hasFailed(); i++) {
            int part = i;
            all.sent();
            reserve(ask, parts.get(i)).whenComplete((said, problem) -> all.ended(part, said, problem));
        }
        return all.decision();
    }

    private CompletableFuture<Reserved> reserve(Ask ask, RulePart part) {
        AskId id = ask.id();
        return id == null
                ? executor.execute(part.reserve(ask))
                : once.execute(ask, part.reserveOnce(ask, id)).thenApply(OnceAnswer::orThrow);
    }

    /** Has a rule take back what it has charged, and tells who may be served by that. */
    private void giveBack(Ask ask, RulePart part, Charge charged) {
        PolicyPlanner planner = ask.planner();
        AskId id = ask.id();
        // What is charged is given back all the time: of a bucket no more than is there even without what came before.
        Charge charge = charged.surelyLeft(part.rule().limit(), charged.permits());
        List<Rule> freed = List.of(part.rule());
        denials.whileReleasing(
                        planner,
                        freed,
                        ask.attributes(),
                        () -> executor.executeInAnyCase(
                                id == null
                                        ? part.refund(ask.attributes(), charge, OptionalLong.empty())
                                        : part.refundOnce(ask, id, charge)))
                .thenAccept(permits -> givenBack.refunded(planner, freed, ask.attributes(), permits));
    }

    @Override
    public void takeBack(Ask ask, Decision decision) {
        Map<Rule, Charge> charges = Charge.of(ask.planner().policy(), decision);
        for (RulePart part : ask.planner().parts()) {
            Charge charge = charges.get(part.rule());
            if (charge != null && charge.permits() > 0) {
                giveBack(ask, part, charge);
            }
        }
    }

    @Override
    public CompletableFuture<Long> refund(
            PolicyPlanner planner, Attributes attributes, Map<Rule, Charge> charges, OptionalLong chargeId) {
        return denials.whileReleasing(
                planner, charges.keySet(), attributes, () -> refundEach(planner, attributes, charges, chargeId));
    }

    private CompletableFuture<Long> refundEach(
            PolicyPlanner planner, Attributes attributes, Map<Rule, Charge> charges, OptionalLong chargeId) {
        List<CompletableFuture<Long>> calls = new ArrayList<>();
        for (RulePart part : planner.parts()) {
            Charge charge = charges.get(part.rule());
            if (charge != null && charge.permits() > 0) {
                calls.add(executor.execute(part.refund(attributes, charge, chargeId)));
            }
        }
        // None, where rules that are only tried were charged nothing.
        return whenAllEnd(
                calls,
                counts -> counts.stream().mapToLong(Long::longValue).max().orElse(0));
    }

    @Override
    public CompletableFuture<Decision> peek(PolicyPlanner planner, Attributes attributes, long permits) {
        long atMicros = planner.timeMicros();
        List<CompletableFuture<RulePart.Seen>> calls = new ArrayList<>();
        for (RulePart part : planner.parts()) {
            calls.add(executor.execute(part.peek(attributes, permits, atMicros)));
        }
        return whenAllEnd(
                calls,
                seen -> Decision.of(
                        planner.policy(),
                        seen.stream().mapToLong(RulePart.Seen::atMicros).toArray(),
                        0,
                        seen.stream().map(RulePart.Seen::said).toArray(RuleDecision[]::new)));
    }

    /** Fails as the first of them, in their order, that did. */
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
