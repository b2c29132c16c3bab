package io.headgate.redis.limits;

import io.headgate.limits.Decision;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.internal.Outcome;
import io.headgate.limits.internal.RefillRate;
import io.headgate.redis.internal.Packed;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Reads what acquire_all answers, step by step. Not safe for use by several threads. */
final class StepsReply {

    private static final int TIME_BYTES = 7;
    private static final int REMAINING_BYTES = 4;
    private static final int ADMITTED_BYTES = 2;
    private static final int LENGTH_BYTES = 2;
    private static final int PARTS_BYTES = 6;

    /** Instead of what remains, or of how many were admitted: the step failed. */
    private static final long FAILED = 0xffff_fffeL;

    /** As what remains: the rule was told of other periods than those about the time. */
    private static final long MISSED = 0xffff_ffffL;

    private final Policy policy;
    private final RulePlan[] rules;
    private final byte[] bytes;
    private final boolean timeGiven;
    private final long nowMicros;
    private int at;

    StepsReply(Policy policy, RulePlan[] rules, byte[] bytes, boolean timeGiven) {
        this.policy = policy;
        this.rules = rules;
        this.bytes = bytes;
        this.timeGiven = timeGiven;
        this.nowMicros = number(TIME_BYTES);
    }

    /** When it was decided, by Redis's clock. */
    long nowMicros() {
        return nowMicros;
    }

    /** What was said to each step. */
    List<StepAnswer> answers(Steps steps) {
        List<StepAnswer> answers = new ArrayList<>(steps.all().size());
        for (Steps.Step step : steps.all()) {
            answers.add(next(step));
        }
        if (at != bytes.length) {
            throw malformed();
        }
        return answers;
    }

    private StepAnswer next(Steps.Step step) {
        require(REMAINING_BYTES);
        if (Packed.number(bytes, at, REMAINING_BYTES) == FAILED) {
            at += REMAINING_BYTES;
            int length = (int) number(LENGTH_BYTES);
            require(length);
            at += length;
            return new StepAnswer.Failed(new String(bytes, at - length, length, StandardCharsets.UTF_8));
        }
        Ask ask = step.first();
        long decidedAt = timeGiven ? ask.askedMicros() : nowMicros;
        return step.asks().size() == 1 ? one(decidedAt, ask.permits()) : several(step, decidedAt, ask.permits());
    }

    private StepAnswer one(long decidedAt, long permits) {
        Said[] said = said(false);
        return isMissed(said)
                ? new StepAnswer.Missed()
                : new StepAnswer.Decided(List.of(decision(said, decidedAt, permits, 0)));
    }

    private StepAnswer several(Steps.Step step, long decidedAt, long permits) {
        int asked = step.asks().size();
        int admitted = (int) number(ADMITTED_BYTES);
        Said[] said = said(true);
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

    private Decision decision(Said[] said, long decidedAt, long permits, long chargedAfter) {
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
    private static Said[] uncharged(Said[] said) {
        for (int i = 0; i < said.length; i++) {
            said[i] = said[i].toEach();
        }
        return said;
    }

    private static boolean isMissed(Said[] said) {
        for (Said one : said) {
            if (one.remaining == MISSED) {
                return true;
            }
        }
        return false;
    }

    private Said[] said(boolean several) {
        Said[] said = new Said[rules.length];
        for (int i = 0; i < said.length; i++) {
            said[i] = said(rules[i], several);
        }
        return said;
    }

    private Said said(RulePlan rule, boolean several) {
        long remaining = number(REMAINING_BYTES);
        require(TIME_BYTES);
        long retry = Packed.signed(bytes, at, TIME_BYTES);
        at += TIME_BYTES;
        long delay = rule.rule().limit() instanceof LeakyBucket ? number(TIME_BYTES) : 0;
        long reset = number(TIME_BYTES);
        return several && rule.argument().rate().isPresent()
                ? new Said(true, remaining, retry, delay, reset, number(PARTS_BYTES), number(TIME_BYTES))
                : new Said(false, remaining, retry, delay, reset, 0, 0);
    }

    /**
     * What a rule said to a step: to the last of those whom it admitted.
     *
     * @param ofSeveral whether what a bucket owes was told, too
     * @param parts of a bucket: how many parts of a permit are owed beside whole ones
     * @param aheadMicros of a bucket: how far its time is ahead of the clock's
     */
    private record Said(
            boolean ofSeveral,
            long remaining,
            long retryMicros,
            long delayMicros,
            long resetMicros,
            long parts,
            long aheadMicros) {

        Said toEach() {
            return new Said(false, remaining, retryMicros, delayMicros, resetMicros, 0, 0);
        }

        /** The same to one after whom so many permits were charged. */
        RuleDecision of(RulePlan rule, long permits, long chargedAfter) {
            long left = remaining + chargedAfter;
            return rule.argument()
                    .rate()
                    .filter(rate -> ofSeveral)
                    .map(rate -> ofBucket(rule.rule(), rate, permits, left))
                    .orElseGet(() -> Outcome.decision(rule.rule(), left, retryMicros, delayMicros, resetMicros));
        }

        /** A window ends when it ends; a bucket is whole again when what was owed then would be paid off. */
        private RuleDecision ofBucket(Rule rule, RefillRate rate, long permits, long left) {
            long owed = rule.limit().permits() - left - (parts > 0 ? 1 : 0);
            boolean waits = rule.limit() instanceof LeakyBucket leaky && leaky.mode() == LeakyBucket.Mode.SHAPER;
            long delay = waits ? rate.microsToRefill(owed - permits, parts) : 0;
            return Outcome.decision(
                    rule,
                    left,
                    retryMicros,
                    delay > 0 ? delay + aheadMicros : 0,
                    rate.microsToRefill(owed, parts) + aheadMicros);
        }
    }

    private void require(int more) {
        if (bytes.length - at < more) {
            throw malformed();
        }
    }

    private IllegalArgumentException malformed() {
        return new IllegalArgumentException(bytes.length + " bytes");
    }

    private long number(int width) {
        require(width);
        long number = Packed.number(bytes, at, width);
        at += width;
        return number;
    }
}
