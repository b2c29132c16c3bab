package io.headgate.redis.limits;

import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.internal.Outcome;
import io.headgate.redis.internal.Packed;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/**
 * Reads what acquire and peek answer, rule by rule: the time, and of each rule what its kind says; and what else a script
 * says with it. Not safe for use by several threads.
 */
final class DecisionReply {

    static final int TIME_BYTES = 7;
    static final int REMAINING_BYTES = 4;

    /** As what remains: the rule was told of other periods than those about the time. */
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

    /** What the next rule says. */
    RuleDecision next(Rule rule) {
        Said said = said(rule);
        if (said.isMissed()) {
            throw new IllegalStateException("its time is not within the periods that it was told the second time");
        }
        return said.of(rule);
    }

    /** The time that the next rule must be told the periods about, when it was told others. */
    OptionalLong nextMissed(Rule rule) {
        Said said = said(rule);
        return said.isMissed() ? OptionalLong.of(decidedAtMicros + said.resetMicros()) : OptionalLong.empty();
    }

    /** What the next rule says, in numbers. */
    Said said(Rule rule) {
        long remaining = number(REMAINING_BYTES);
        require(TIME_BYTES);
        long retryMicros = Packed.signed(bytes, at, TIME_BYTES);
        at += TIME_BYTES;
        long delayMicros = rule.limit() instanceof LeakyBucket ? number(TIME_BYTES) : 0;
        return new Said(remaining, retryMicros, delayMicros, number(TIME_BYTES));
    }

    /** What a rule says, in numbers. */
    record Said(long remaining, long retryMicros, long delayMicros, long resetMicros) {

        /** Whether it was told of other periods than those about the time. */
        boolean isMissed() {
            return remaining == MISSED;
        }

        RuleDecision of(Rule rule) {
            return Outcome.decision(rule, remaining, retryMicros, delayMicros, resetMicros);
        }
    }

    /** A text that comes next, behind its length in so many bytes. */
    String text(int lengthBytes) {
        int length = (int) number(lengthBytes);
        require(length);
        at += length;
        return new String(bytes, at - length, length, StandardCharsets.UTF_8);
    }

    /** Whether that number comes next, in so many bytes; then it goes on after it. */
    boolean isNext(long number, int width) {
        require(width);
        boolean isNext = Packed.number(bytes, at, width) == number;
        at += isNext ? width : 0;
        return isNext;
    }

    /** Refuses a reply that says more. */
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

    /** The number that comes next, in so many bytes. */
    long number(int width) {
        require(width);
        long number = Packed.number(bytes, at, width);
        at += width;
        return number;
    }
}
