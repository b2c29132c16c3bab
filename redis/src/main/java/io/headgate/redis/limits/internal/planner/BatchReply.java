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

/** Decodes the reply of {@code acquire_batch} in acquire.lua. Not safe for use by several threads. */
public final class BatchReply {

    private static final int ADMITTED_BYTES = 2;
    private static final int LENGTH_BYTES = 2;
    private static final int PARTS_BYTES = 6;

    /** The first four bytes of a step that failed. */
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
        return step.requests() == 1 ? single(decidedAt, permits) : several(step.requests(), decidedAt, permits);
    }

    private StepResult single(long decidedAt, long permits) {
        StepDecision[] decisions = decisions(false);
        if (isUndecided(decisions)) {
            return new StepResult.Skipped();
        }
        Decision decision = decision(decisions, decidedAt, permits, 0);
        return new StepResult.Decided(decision.allowed() ? 1 : 0, decision, () -> List.of(decision));
    }

    private StepResult several(int requests, long decidedAt, long permits) {
        int admitted = (int) reply.number(ADMITTED_BYTES);
        StepDecision[] lastAdmitted = decisions(true);
        if (isUndecided(lastAdmitted)) {
            return new StepResult.Skipped();
        }
        Decision last = admitted == requests
                ? decision(lastAdmitted, decidedAt, permits, 0)
                : decision(admitted > 0 ? decisions(false) : uncharged(lastAdmitted), decidedAt, permits, 0);
        // The admitted requests before the last request of the step, which has a decision of its own.
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

    /** Marks decisions as those of a step that admitted no request: they apply to all of its requests unchanged. */
    private static StepDecision[] uncharged(StepDecision[] decisions) {
        for (int i = 0; i < decisions.length; i++) {
            decisions[i] = new StepDecision(decisions[i].fields, false, 0, 0);
        }
        return decisions;
    }

    private static boolean isUndecided(StepDecision[] decisions) {
        for (StepDecision one : decisions) {
            if (one.fields.isUndecided()) {
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
         * The step is not decided, and its requests must be sent alone. Either the call stated calendar periods that do not contain the
         * time of the decision, or the step would rewrite more entries of sliding windows in a wider format than one batch may.
         */
        record Skipped() implements StepResult {}
    }

    /**
     * The decision of a rule on the last admitted request of a step, or on its denied requests.
     *
     * @param ofSeveral whether the step has several requests and the rule is a bucket; else the next two components are 0
     * @param parts how many parts of a permit the bucket owes in addition to whole permits
     * @param aheadMicros how far the time of the bucket is ahead of the clock
     */
    private record StepDecision(DecisionReply.RuleFields fields, boolean ofSeveral, long parts, long aheadMicros) {

        /** The decision on a request of the step, after which the step charged the given number of further permits. */
        EngineRuleDecision of(RulePlan rule, long permits, long chargedAfter) {
            if (fields.isBan()) {
                return fields.decision(rule.rule());
            }
            long left = fields.remaining() + chargedAfter;
            if (ofSeveral) {
                return ofBucket(rule.rule(), rule.argument().rate().orElseThrow(), permits, left);
            }
            return Outcome.decision(
                    rule.rule(), left, fields.retryMicros(), fields.delayMicros(), fields.resetMicros());
        }

        /**
         * Computes the reset and the delay of a bucket after that request, from what it owed then. In windows, these are the same for all
         * requests.
         */
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
