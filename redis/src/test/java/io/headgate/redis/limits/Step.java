package io.headgate.redis.limits;

/**
 * One step of a {@link History}: an action relative to the state at its turn, so that a history can jump to
 * the very microsecond at which an answer changes.
 */
public sealed interface Step {

    /** Asks for permits; {@code times} times, with a gap before each further one. */
    record Acquire(int variant, int who, Amount amount, int times, Span gap) implements Step {}

    /** Asks for permits under one of a few request ids. */
    record Once(int variant, int who, Amount amount, int id) implements Step {}

    record Peek(int variant, int who, Amount amount) implements Step {}

    record Reset(int rule, int who) implements Step {}

    /** Refunds one of the decisions so far, that many before the last, under a variant. */
    record Refund(int variant, int ago) implements Step {}

    /** Repeats one of the refunds so far, that many before the last, under a variant. */
    record RefundAgain(int variant, int ago) implements Step {}

    /** Takes back the oldest permits. */
    record RefundOldest(int variant, int who, Amount amount) implements Step {}

    /** Lets time pass, or turns the clock back. */
    record Pass(Span span) implements Step {}

    /** Goes to when the last answer's rule said that the request would be admitted, give or take. */
    record ToRetry(int rule, int offsetMicros) implements Step {}

    /** Goes to when the last answer's rule said that the limit would be whole again, give or take. */
    record ToReset(int rule, int offsetMicros) implements Step {}

    /** A number of permits, relative to the smallest limit of the policy or to the fewest remaining permits. */
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
