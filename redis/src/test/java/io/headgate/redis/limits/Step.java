package io.headgate.redis.limits;

/**
 * One step of a {@link History}: an action relative to the state before it, so that a history can jump to the exact microsecond at
 * which a decision changes.
 */
public sealed interface Step {

    /** Requests permits {@code times} times, with a gap between the requests. */
    record Acquire(int variant, int who, Amount amount, int times, Span gap) implements Step {}

    /** Requests permits with one of a few request ids. */
    record AcquireWithId(int variant, int who, Amount amount, int id) implements Step {}

    record Peek(int variant, int who, Amount amount) implements Step {}

    record Reset(int rule, int who) implements Step {}

    /** Refunds the decision that is {@code ago} decisions before the last one, under a variant. */
    record Refund(int variant, int ago) implements Step {}

    /** Repeats the refund that is {@code ago} refunds before the last one, under a variant. */
    record RefundAgain(int variant, int ago) implements Step {}

    /** Refunds the oldest permits. */
    record RefundOldest(int variant, int who, Amount amount) implements Step {}

    /** Lets time pass, or sets the clock back. */
    record Pass(Span span) implements Step {}

    /** Sets the clock to the retry time of a rule of the last decision, plus an offset. */
    record ToRetry(int rule, int offsetMicros) implements Step {}

    /** Sets the clock to the reset time of a rule of the last decision, plus an offset. */
    record ToReset(int rule, int offsetMicros) implements Step {}

    /** A number of permits: exact, or relative to the smallest limit of the policy or to the fewest remaining permits. */
    sealed interface Amount {

        record Exactly(long permits) implements Amount {}

        record PartOfLimit(int sixteenths) implements Amount {}

        record Left(int offset) implements Amount {}

        record Limit(int offset) implements Amount {}
    }

    /** A duration: parts of a rule's window, and some microseconds. */
    record Span(int rule, int variant, long parts, long ofParts, long plusMicros) {

        static Span micros(long micros) {
            return new Span(0, 0, 0, 1, micros);
        }
    }
}
