package io.headgate.redis.limits;

import io.headgate.redis.limits.Admissions.Reply;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Checks the replies that several processes received for one key of a leaky bucket that shapes: that the turns of those who were
 * admitted are as far apart as their permits take to leak out and no further where somebody waits, that the queue never
 * is longer than it may be, and that no denial was wrong.
 *
 * <p>Turns are reported in whole microseconds, rounded up, so two of them may be a part of one closer; but these parts must not
 * add up. All is counted in parts, as many to a microsecond as the leak has permits, and to a permit as its period has
 * microseconds.
 */
final class Turns {

    private final long capacity;
    private final long permits;
    private final long periodMicros;
    private final List<String> faults = new ArrayList<>();

    private Turns(long capacity, long permits, long periodMicros) {
        this.capacity = capacity;
        this.permits = permits;
        this.periodMicros = periodMicros;
    }

    /** Everything that is wrong with the replies; nothing when they keep the promise. */
    static List<String> faults(List<Reply> replies, long capacity, long permits, long periodMicros) {
        Turns turns = new Turns(capacity, permits, periodMicros);
        turns.check(replies.stream()
                .sorted(Comparator.comparingLong(Turns::turnMicros))
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
        // When all that was admitted before has leaked out: not before the one, and not after the other.
        long earliest = 0;
        long latest = 0;
        for (Reply reply : replies) {
            if (!reply.allowed()) {
                continue;
            }
            for (; denial < denials.size() && denials.get(denial).atMicros() < reply.atMicros(); denial++) {
                judgeDenial(denials.get(denial), latest);
            }
            judgeTurn(reply, earliest, latest);
            long turn = turnMicros(reply) * permits;
            boolean waits = reply.delayMicros() > 0;
            long takes = reply.permits() * periodMicros;
            earliest = Math.max(earliest, waits ? turn - permits + 1 : turn) + takes;
            latest = (waits ? Math.min(turn, latest) : turn) + takes;
        }
        for (; denial < denials.size(); denial++) {
            judgeDenial(denials.get(denial), latest);
        }
    }

    private void judgeTurn(Reply reply, long earliest, long latest) {
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

    /** Who came in the same microsecond as an admission may have come after it, so that is asked of those before it only. */
    private void judgeDenial(Reply reply, long latest) {
        long waiting = Math.max(0, latest - reply.atMicros() * permits);
        if (waiting + reply.permits() * periodMicros <= capacity * periodMicros) {
            faults.add("wrong denial: " + reply.line() + ", while no more than " + waiting + " parts were in it");
        }
    }
}
