package io.headgate.redis.limits.internal.planner;

import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.algorithm.Outcome;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import io.headgate.redis.internal.script.Packed;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/**
 * Decodes the replies of acquire and peek from start to end: the time of the decision, the fields of each rule, and other fields that some
 * scripts add. Not safe for use by several threads.
 */
final class DecisionReply {

    static final int TIME_BYTES = 7;
    static final int REMAINING_BYTES = 4;

    /** The remaining permits of a rule that did not decide: see {@link RuleFields#isUndecided}. */
    private static final long UNDECIDED = 0xffffffffL;

    /** The remaining permits of a rule that has banned the key; its reset is the time since the ban began. */
    private static final long BANNED = 0xffff_fffdL;

    private final byte[] bytes;
    private final long decidedAtMicros;
    private int at;

    DecisionReply(byte[] bytes) {
        this.bytes = bytes;
        this.decidedAtMicros = number(TIME_BYTES);
    }

    long decidedAtMicros() {
        return decidedAtMicros;
    }

    /** Reads the decision of the next rule. */
    EngineRuleDecision next(Rule rule) {
        RuleFields fields = fields(rule);
        if (fields.isUndecided()) {
            throw new IllegalStateException("its time is not within the periods of the second call");
        }
        return fields.decision(rule);
    }

    /** Skips the next rule. Returns the time whose calendar periods the call must state for it; empty if the rule has decided. */
    OptionalLong nextPeriodsAbout(Rule rule) {
        RuleFields fields = fields(rule);
        return fields.isUndecided() ? OptionalLong.of(decidedAtMicros + fields.resetMicros()) : OptionalLong.empty();
    }

    /** Reads the fields of the next rule. */
    RuleFields fields(Rule rule) {
        long remaining = number(REMAINING_BYTES);
        require(TIME_BYTES);
        long retryMicros = Packed.signed(bytes, at, TIME_BYTES);
        at += TIME_BYTES;
        long delayMicros = rule.limit() instanceof LeakyBucket ? number(TIME_BYTES) : 0;
        return new RuleFields(remaining, retryMicros, delayMicros, number(TIME_BYTES));
    }

    /** The decision of a rule as numbers. */
    record RuleFields(long remaining, long retryMicros, long delayMicros, long resetMicros) {

        /**
         * Whether the rule did not decide, so that nothing was charged: the call stated calendar periods that do not contain the time, or,
         * in a batch, the step must be sent alone.
         */
        boolean isUndecided() {
            return remaining == UNDECIDED;
        }

        boolean isBan() {
            return remaining == BANNED;
        }

        EngineRuleDecision decision(Rule rule) {
            if (isBan()) {
                return EngineRuleDecision.banned(rule, resetMicros, retryMicros);
            }
            return Outcome.decision(rule, remaining, retryMicros, delayMicros, resetMicros);
        }
    }

    /** Reads the length of a text, in the given number of bytes, and then the text. */
    String text(int lengthBytes) {
        int length = (int) number(lengthBytes);
        require(length);
        at += length;
        return new String(bytes, at - length, length, StandardCharsets.UTF_8);
    }

    /** Whether the next bytes, of the given number, are this number; if so, they are skipped. */
    boolean isNext(long number, int width) {
        require(width);
        boolean isNext = Packed.number(bytes, at, width) == number;
        at += isNext ? width : 0;
        return isNext;
    }

    /** Requires that all bytes have been read. */
    void requireEnd() {
        if (at != bytes.length) {
            throw new IllegalArgumentException(bytes.length + " bytes");
        }
    }

    private void require(int more) {
        if (bytes.length - at < more) {
            throw new IllegalArgumentException(bytes.length + " bytes");
        }
    }

    /** Reads a number of the given number of bytes. */
    long number(int width) {
        require(width);
        long number = Packed.number(bytes, at, width);
        at += width;
        return number;
    }
}
