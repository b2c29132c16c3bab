package io.headgate.redis.limits.internal.planner;

import io.headgate.limits.Decision;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.algorithm.Outcome;
import io.headgate.limits.internal.algorithm.RefillRate;
import io.headgate.limits.internal.decision.EngineDecisions;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Reads the reply to a batch, which {@code acquire_batch} in acquire.lua returns, step by step. Not safe for use by several threads. */
public final class BatchReply {

    private static final int ADMITTED_BYTES = 2;
    private static final int LENGTH_BYTES = 2;
    private static final int PARTS_BYTES = 6;

    /** In place of the remaining permits, or of how many requests were admitted: the step failed. */
    private static final long FAILED = 0xffff_fffeL;

    private final Policy policy;
    private final RulePlan[] rules;
    private final DecisionReply reply;
    private final boolean timeGiven;

    BatchReply(Policy policy, RulePlan[] rules, byte[] bytes, boolean timeGiven) {
        this.policy = policy;
        this.rules = rules;
        this.reply = new DecisionReply(bytes);
        this.timeGiven = timeGiven;
    }

    /** When the steps were decided, by Redis's clock. */
    long decidedAtMicros() {
        return reply.decidedAtMicros();
    }

    /** The results of all steps, in their order. */
    List<StepResult> results(BatchSteps steps) {
        List<StepResult> results = new ArrayList<>(steps.all().size());
        for (BatchSteps.Step step : steps.all()) {
            results.add(next(step));
        }
        reply.requireEnd();
        return results;
    }

    private StepResult next(BatchSteps.Step step) {
        if (reply.isNext(FAILED, DecisionReply.REMAINING_BYTES)) {
            return new StepResult.Failed(reply.text(LENGTH_BYTES));
        }
        long decidedAt = timeGiven ? step.first().requestedMicros() : decidedAtMicros();
        long permits = step.first().permits();
        return step.requests() == 1 ? one(decidedAt, permits) : several(step.requests(), decidedAt, permits);
    }

    private StepResult one(long decidedAt, long permits) {
        StepDecision[] decisions = decisions(false);
        if (isMissed(decisions)) {
            return new StepResult.Skipped();
        }
        Decision decision = decision(decisions, decidedAt, permits, 0);
        return new StepResult.Decided(decision.allowed() ? 1 : 0, decision, () -> List.of(decision));
    }

    private StepResult several(int requests, long decidedAt, long permits) {
        int admitted = (int) reply.number(ADMITTED_BYTES);
        StepDecision[] lastAdmitted = decisions(true);
        if (isMissed(lastAdmitted)) {
            return new StepResult.Skipped();
        }
        Decision last = admitted == requests
                ? decision(lastAdmitted, decidedAt, permits, 0)
                : decision(admitted > 0 ? decisions(false) : uncharged(lastAdmitted), decidedAt, permits, 0);
        int others = admitted == requests ? admitted - 1 : admitted;
        return new StepResult.Decided(admitted, last, () -> {
            List<Decision> decisions = new ArrayList<>(requests);
            for (int i = 0; i < others; i++) {
                decisions.add(decision(lastAdmitted, decidedAt, permits, (admitted - 1 - i) * permits));
            }
            while (decisions.size() < requests) {
                decisions.add(last);
            }
            return decisions;
        });
    }

    private Decision decision(StepDecision[] decisions, long decidedAt, long permits, long chargedAfter) {
        if (decisions.length == 1) {
            return EngineDecisions.of(policy, decidedAt, permits, decisions[0].of(rules[0], permits, chargedAfter));
        }
        EngineRuleDecision[] byRule = new EngineRuleDecision[decisions.length];
        for (int i = 0; i < decisions.length; i++) {
            byRule[i] = decisions[i].of(rules[i], permits, chargedAfter);
        }
        return EngineDecisions.of(policy, decidedAt, permits, byRule);
    }

    /** The decision for each request of a step that admitted none. */
    private static StepDecision[] uncharged(StepDecision[] decisions) {
        for (int i = 0; i < decisions.length; i++) {
            decisions[i] = new StepDecision(decisions[i].fields, false, 0, 0);
        }
        return decisions;
    }

    private static boolean isMissed(StepDecision[] decisions) {
        for (StepDecision one : decisions) {
            if (one.fields.isMissed()) {
                return true;
            }
        }
        return false;
    }

    private StepDecision[] decisions(boolean several) {
        StepDecision[] decisions = new StepDecision[rules.length];
        for (int i = 0; i < decisions.length; i++) {
            decisions[i] = decision(rules[i], several);
        }
        return decisions;
    }

    private StepDecision decision(RulePlan rule, boolean several) {
        DecisionReply.RuleFields fields = reply.fields(rule.rule());
        return several && rule.argument().rate().isPresent()
                ? new StepDecision(fields, true, reply.number(PARTS_BYTES), reply.number(DecisionReply.TIME_BYTES))
                : new StepDecision(fields, false, 0, 0);
    }

    /** The result of one step. */
    public sealed interface StepResult {

        /**
         * The requests of the step are decided: those before the first denied one are allowed.
         *
         * @param admitted the number of allowed requests
         * @param last the decision for the last request
         * @param all creates a decision for each request, in their order
         */
        record Decided(int admitted, Decision last, Supplier<List<Decision>> all) implements StepResult {

            /** Creates a decision for each request of the step, in their order. */
            public List<Decision> decisions() {
                return all.get();
            }
        }

        /** The step failed with that error, and charged nothing. */
        record Failed(String error) implements StepResult {}

        /**
         * The step is not decided, and its requests must be sent alone. The call stated other days of a calendar than Redis needs, or the
         * step would rewrite more entries of sliding windows in a wider form than there is time for beside other steps.
         */
        record Skipped() implements StepResult {}
    }

    /**
     * The decision of a rule on the last request of a step that it admitted.
     *
     * @param ofSeveral whether the reply also states what a bucket owes
     * @param parts of a bucket: how many parts of a permit are owed beside whole ones
     * @param aheadMicros of a bucket: how far its time is ahead of the clock's
     */
    private record StepDecision(DecisionReply.RuleFields fields, boolean ofSeveral, long parts, long aheadMicros) {

        /** The decision on a request of the step, after the given number of permits was charged. */
        EngineRuleDecision of(RulePlan rule, long permits, long chargedAfter) {
            long left = fields.remaining() + chargedAfter;
            if (ofSeveral) {
                return ofBucket(rule.rule(), rule.argument().rate().orElseThrow(), permits, left);
            }
            return Outcome.decision(
                    rule.rule(), left, fields.retryMicros(), fields.delayMicros(), fields.resetMicros());
        }

        /** The end of a window does not depend on its requests; a bucket is full again when what it owed at the time is paid off. */
        private EngineRuleDecision ofBucket(Rule rule, RefillRate rate, long permits, long left) {
            long owed = rule.limit().permits() - left - (parts > 0 ? 1 : 0);
            boolean waits = rule.limit() instanceof LeakyBucket leaky && leaky.mode() == LeakyBucket.Mode.SHAPER;
            long delay = waits ? rate.microsToRefill(owed - permits, parts) : 0;
            return new DecisionReply.RuleFields(
                            left,
                            fields.retryMicros(),
                            delay > 0 ? delay + aheadMicros : 0,
                            rate.microsToRefill(owed, parts) + aheadMicros)
                    .decision(rule);
        }
    }
}
