package io.headgate.redis.limits;

import io.headgate.redis.limits.Admissions.Reply;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Checks the replies that several processes received for one key of a shaper. The turn of a request is the time until which the shaper
 * delays it. The turns of admitted requests must be spaced by the time that their permits take to leak out, and by no more while requests
 * wait; the queue must never be too long; and no denial may be wrong.
 *
 * <p>Turns are reported in whole microseconds, rounded up. So two turns may be a fraction of a microsecond too close, but these
 * fractions must not add up. The check counts in parts of a microsecond: a microsecond has as many parts as the leak has permits,
 * and a permit takes as many parts as the period has microseconds.
 */
final class ShaperTurns {

    private final long capacity;
    private final long permits;
    private final long periodMicros;
    private final List<String> faults = new ArrayList<>();

    private ShaperTurns(long capacity, long permits, long periodMicros) {
        this.capacity = capacity;
        this.permits = permits;
        this.periodMicros = periodMicros;
    }

    /** Everything that is wrong with the replies; empty if they are correct. */
    static List<String> faults(List<Reply> replies, long capacity, long permits, long periodMicros) {
        ShaperTurns turns = new ShaperTurns(capacity, permits, periodMicros);
        turns.check(replies.stream()
                .sorted(Comparator.comparingLong(ShaperTurns::turnMicros))
                .toList());
        return turns.faults;
    }

    private static long turnMicros(Reply reply) {
        return reply.atMicros() + reply.delayMicros();
    }

    private void check(List<Reply> replies) {
        List<Reply> denials = replies.stream()
                .filter(reply -> !reply.allowed())
                .sorted(Comparator.comparingLong(Reply::atMicros))
                .toList();
        int denial = 0;
        // Bounds of the time at which everything admitted so far has leaked out.
        long earliest = 0;
        long latest = 0;
        for (Reply reply : replies) {
            if (!reply.allowed()) {
                continue;
            }
            for (; denial < denials.size() && denials.get(denial).atMicros() < reply.atMicros(); denial++) {
                checkDenial(denials.get(denial), latest);
            }
            checkTurn(reply, earliest, latest);
            long turn = turnMicros(reply) * permits;
            boolean waits = reply.delayMicros() > 0;
            long takes = reply.permits() * periodMicros;
            earliest = Math.max(earliest, waits ? turn - permits + 1 : turn) + takes;
            latest = (waits ? Math.min(turn, latest) : turn) + takes;
        }
        for (; denial < denials.size(); denial++) {
            checkDenial(denials.get(denial), latest);
        }
    }

    private void checkTurn(Reply reply, long earliest, long latest) {
        long turn = turnMicros(reply) * permits;
        if (turn < earliest) {
            faults.add("too close: " + reply.line() + ", by " + (earliest - turn) + " parts");
        }
        if (reply.delayMicros() > 0 && turn - permits >= latest) {
            faults.add("too far: " + reply.line() + ", by " + (turn - latest) + " parts");
        }
        long waiting = reply.delayMicros() > 0 ? (reply.delayMicros() - 1) * permits + 1 : 0;
        if (waiting + reply.permits() * periodMicros > capacity * periodMicros) {
            faults.add("too many: " + reply.line());
        }
    }

    /** A denial in the same microsecond as an admission may have been decided after it, so it is checked with that admission counted. */
    private void checkDenial(Reply reply, long latest) {
        long waiting = Math.max(0, latest - reply.atMicros() * permits);
        if (waiting + reply.permits() * periodMicros <= capacity * periodMicros) {
            faults.add("wrong denial: " + reply.line() + ", while no more than " + waiting + " parts were left");
        }
    }
}
