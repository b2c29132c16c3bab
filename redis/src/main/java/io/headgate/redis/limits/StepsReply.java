package io.headgate.redis.limits;

import io.headgate.limits.Decision;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.internal.Outcome;
import io.headgate.limits.internal.RefillRate;
import java.util.ArrayList;
import java.util.List;

/** Reads what acquire_all answers, step by step. Not safe for use by several threads. */
final class StepsReply {

    private static final int ADMITTED_BYTES = 2;
    private static final int LENGTH_BYTES = 2;
    private static final int PARTS_BYTES = 6;

    /** Instead of what remains, or of how many were admitted: the step failed. */
    private static final long FAILED = 0xffff_fffeL;

    private final Policy policy;
    private final RulePlan[] rules;
    private final DecisionReply reply;
    private final boolean timeGiven;

    StepsReply(Policy policy, RulePlan[] rules, byte[] bytes, boolean timeGiven) {
        this.policy = policy;
        this.rules = rules;
        this.reply = new DecisionReply(bytes);
        this.timeGiven = timeGiven;
    }

    /** When it was decided, by Redis's clock. */
    long nowMicros() {
        return reply.decidedAtMicros();
    }

    /** What was said to each step. */
    List<StepAnswer> answers(Steps steps) {
        List<StepAnswer> answers = new ArrayList<>(steps.all().size());
        for (Steps.Step step : steps.all()) {
            answers.add(next(step));
        }
        reply.requireEnd();
        return answers;
    }

    private StepAnswer next(Steps.Step step) {
        if (reply.isNext(FAILED, DecisionReply.REMAINING_BYTES)) {
            return new StepAnswer.Failed(reply.text(LENGTH_BYTES));
        }
        Ask ask = step.first();
        long decidedAt = timeGiven ? ask.askedMicros() : nowMicros();
        return step.asks().size() == 1 ? one(decidedAt, ask.permits()) : several(step, decidedAt, ask.permits());
    }

    private StepAnswer one(long decidedAt, long permits) {
        OfStep[] said = said(false);
        return isMissed(said)
                ? new StepAnswer.Missed()
                : new StepAnswer.Decided(List.of(decision(said, decidedAt, permits, 0)));
    }

    private StepAnswer several(Steps.Step step, long decidedAt, long permits) {
        int asked = step.asks().size();
        int admitted = (int) reply.number(ADMITTED_BYTES);
        OfStep[] said = said(true);
        if (isMissed(said)) {
            return new StepAnswer.Missed();
        }
        List<Decision> decisions = new ArrayList<>(asked);
        for (int after = admitted - 1; after >= 0; after--) {
            decisions.add(decision(said, decidedAt, permits, after * permits));
        }
        if (admitted < asked) {
            Decision denied = decision(admitted > 0 ? said(false) : uncharged(said), decidedAt, permits, 0);
            while (decisions.size() < asked) {
                decisions.add(denied);
            }
        }
        return new StepAnswer.Decided(decisions);
    }

    private Decision decision(OfStep[] said, long decidedAt, long permits, long chargedAfter) {
        if (said.length == 1) {
            return Decision.of(policy, decidedAt, permits, said[0].of(rules[0], permits, chargedAfter));
        }
        RuleDecision[] decisions = new RuleDecision[said.length];
        for (int i = 0; i < said.length; i++) {
            decisions[i] = said[i].of(rules[i], permits, chargedAfter);
        }
        return Decision.of(policy, decidedAt, permits, decisions);
    }

    /** What was said to all, as nobody was admitted: it holds for each as it is. */
    private static OfStep[] uncharged(OfStep[] said) {
        for (int i = 0; i < said.length; i++) {
            said[i] = said[i].toEach();
        }
        return said;
    }

    private static boolean isMissed(OfStep[] said) {
        for (OfStep one : said) {
            if (one.said.isMissed()) {
                return true;
            }
        }
        return false;
    }

    private OfStep[] said(boolean several) {
        OfStep[] said = new OfStep[rules.length];
        for (int i = 0; i < said.length; i++) {
            said[i] = said(rules[i], several);
        }
        return said;
    }

    private OfStep said(RulePlan rule, boolean several) {
        DecisionReply.Said said = reply.said(rule.rule());
        return several && rule.argument().rate().isPresent()
                ? new OfStep(said, true, reply.number(PARTS_BYTES), reply.number(DecisionReply.TIME_BYTES))
                : new OfStep(said, false, 0, 0);
    }

    /**
     * What a rule said to a step: to the last of those whom it admitted.
     *
     * @param ofSeveral whether what a bucket owes was told, too
     * @param parts of a bucket: how many parts of a permit are owed beside whole ones
     * @param aheadMicros of a bucket: how far its time is ahead of the clock's
     */
    private record OfStep(DecisionReply.Said said, boolean ofSeveral, long parts, long aheadMicros) {

        OfStep toEach() {
            return new OfStep(said, false, 0, 0);
        }

        /** The same to one after whom so many permits were charged. */
        RuleDecision of(RulePlan rule, long permits, long chargedAfter) {
            long left = said.remaining() + chargedAfter;
            if (ofSeveral) {
                return ofBucket(rule.rule(), rule.argument().rate().orElseThrow(), permits, left);
            }
            return Outcome.decision(rule.rule(), left, said.retryMicros(), said.delayMicros(), said.resetMicros());
        }

        /** A window ends when it ends; a bucket is whole again when what was owed then would be paid off. */
        private RuleDecision ofBucket(Rule rule, RefillRate rate, long permits, long left) {
            long owed = rule.limit().permits() - left - (parts > 0 ? 1 : 0);
            boolean waits = rule.limit() instanceof LeakyBucket leaky && leaky.mode() == LeakyBucket.Mode.SHAPER;
            long delay = waits ? rate.microsToRefill(owed - permits, parts) : 0;
            return new DecisionReply.Said(
                            left,
                            said.retryMicros(),
                            delay > 0 ? delay + aheadMicros : 0,
                            rate.microsToRefill(owed, parts) + aheadMicros)
                    .of(rule);
        }
    }
}
