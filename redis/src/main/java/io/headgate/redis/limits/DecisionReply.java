package io.headgate.redis.limits;

import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Rule;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.internal.Outcome;
import io.headgate.redis.internal.Packed;
import java.util.OptionalLong;

/**
 * Reads what acquire and peek answer, rule by rule: the time, and of each rule what its kind says. Not safe for use by
 * several threads.
 */
final class DecisionReply {

    private static final int TIME_BYTES = 7;
    private static final int REMAINING_BYTES = 4;

    /** As what remains: the rule was told of other periods than those about the time. */
    private static final long MISSED = 0xffffffffL;

    private final byte[] bytes;
    private final long decidedAtMicros;
    private int at;

    DecisionReply(byte[] bytes) {
        this.bytes = bytes;
        require(TIME_BYTES);
        this.decidedAtMicros = number(TIME_BYTES);
    }

    long decidedAtMicros() {
        return decidedAtMicros;
    }

    /** What the next rule says. */
    RuleDecision next(Rule rule) {
        require(bytesOf(rule));
        long remaining = number(REMAINING_BYTES);
        if (remaining == MISSED) {
            throw new IllegalStateException("its time is not within the periods that it was told the second time");
        }
        long retryMicros = Packed.signed(bytes, at, TIME_BYTES);
        at += TIME_BYTES;
        long delayMicros = rule.limit() instanceof LeakyBucket ? number(TIME_BYTES) : 0;
        return Outcome.decision(rule, remaining, retryMicros, delayMicros, number(TIME_BYTES));
    }

    /** The time that the next rule must be told the periods about, when it was told others. */
    OptionalLong nextMissed(Rule rule) {
        int bytesOfRule = bytesOf(rule);
        require(bytesOfRule);
        boolean missed = number(REMAINING_BYTES) == MISSED;
        at += bytesOfRule - REMAINING_BYTES - TIME_BYTES;
        long reset = number(TIME_BYTES);
        return missed ? OptionalLong.of(decidedAtMicros + reset) : OptionalLong.empty();
    }

    /** Refuses a reply that says more. */
    void requireEnd() {
        if (at != bytes.length) {
            throw new IllegalArgumentException(bytes.length + " bytes");
        }
    }

    private static int bytesOf(Rule rule) {
        return REMAINING_BYTES + (rule.limit() instanceof LeakyBucket ? 3 : 2) * TIME_BYTES;
    }

    private void require(int more) {
        if (bytes.length - at < more) {
            throw new IllegalArgumentException(bytes.length + " bytes");
        }
    }

    private long number(int width) {
        long number = Packed.number(bytes, at, width);
        at += width;
        return number;
    }
}
