package io.headgate.redis.limits.internal.planner;

import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.algorithm.Outcome;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import io.headgate.redis.internal.script.Packed;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/**
 * Reads the replies of acquire and peek: the time of the decision, the fields of each rule, and whatever else a script adds. Not safe
 * for use by several threads.
 */
final class DecisionReply {

    static final int TIME_BYTES = 7;
    static final int REMAINING_BYTES = 4;

    /** In place of the remaining permits: the call stated other periods of a calendar than those about the time. */
    private static final long MISSED = 0xffffffffL;

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

    /** The decision of the next rule. */
    EngineRuleDecision next(Rule rule) {
        RuleFields fields = fields(rule);
        if (fields.isMissed()) {
            throw new IllegalStateException("its time is not within the periods of the second call");
        }
        return fields.decision(rule);
    }

    /** The time about which the call must state the periods of the next rule; nothing where it did. */
    OptionalLong nextMissed(Rule rule) {
        RuleFields fields = fields(rule);
        return fields.isMissed() ? OptionalLong.of(decidedAtMicros + fields.resetMicros()) : OptionalLong.empty();
    }

    /** The fields of the next rule. */
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

        /** Whether the call stated other periods of a calendar than those about the time, so that nothing was decided. */
        boolean isMissed() {
            return remaining == MISSED;
        }

        EngineRuleDecision decision(Rule rule) {
            return Outcome.decision(rule, remaining, retryMicros, delayMicros, resetMicros);
        }
    }

    /** The next text, which follows its length; the length has the given number of bytes. */
    String text(int lengthBytes) {
        int length = (int) number(lengthBytes);
        require(length);
        at += length;
        return new String(bytes, at - length, length, StandardCharsets.UTF_8);
    }

    /** Whether that number comes next, in the given number of bytes; if so, it is skipped. */
    boolean isNext(long number, int width) {
        require(width);
        boolean isNext = Packed.number(bytes, at, width) == number;
        at += isNext ? width : 0;
        return isNext;
    }

    /** Rejects a reply that has more bytes. */
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

    /** The next number, in the given number of bytes. */
    long number(int width) {
        require(width);
        long number = Packed.number(bytes, at, width);
        at += width;
        return number;
    }
}
