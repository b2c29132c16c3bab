package io.headgate.redis.queues;

import io.headgate.redis.internal.Packed;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * How many jobs a list has at an instant, however long it is. Runs come at its end and go from its front and stay what they are
 * in between, but for jobs that are cancelled there, which count all the same. So what was counted piece by piece before
 * still is true of the pieces that are left: only both ends are to be counted at that instant.
 */
final class AuditedList {

    /** How many jobs a piece has, and how many of them were cancelled when it was looked at. */
    private record Piece(long jobs, long gone) {}

    /** How many jobs there are, and how many of them surely are cancelled; whether that is all of these. */
    record Count(long jobs, long gone, boolean exact) {}

    private final TreeMap<Long, Piece> byLowest = new TreeMap<>();
    private long top;
    private long seenUpTo;

    /** Up to which number it was looked at. */
    long top() {
        return top;
    }

    /** Adds a step of audit_list.lua; the lowest number of it, 0 when there was nothing new. */
    long add(byte[] step) {
        long lowest = Packed.number(step, 0, 6);
        if (lowest > 0) {
            byLowest.put(lowest, new Piece(Packed.number(step, 12, 6), Packed.number(step, 18, 6)));
        }
        return lowest;
    }

    /** Notes the highest number of a step. */
    void noteHighest(long highest) {
        seenUpTo = Math.max(seenUpTo, highest);
    }

    /** All was looked at, from the highest number that was noted down to the front, or to where it was looked at before. */
    void lookedDown() {
        top = seenUpTo;
    }

    /**
     * The count, from runs as audit_count.lua tells them; nothing when too many came since.
     *
     * @param front runs at the front: first number, jobs, cancelled
     * @param end runs at the end
     */
    Optional<Count> count(long[][] front, long[][] end) {
        Long next = front.length == 0 ? null : byLowest.ceilingKey(front[0][0]);
        if (next == null || end.length == 0 || end[0][0] > top || front[front.length - 1][0] < next) {
            return Optional.empty();
        }
        long jobs = 0;
        long gone = 0;
        for (long[] run : front) {
            jobs += run[0] < next ? run[1] : 0;
            gone += run[0] < next ? run[2] : 0;
        }
        for (Map.Entry<Long, Piece> piece : byLowest.tailMap(next).entrySet()) {
            jobs += piece.getValue().jobs();
            gone += piece.getValue().gone();
        }
        for (long[] run : end) {
            jobs += run[0] > top ? run[1] : 0;
            gone += run[0] > top ? run[2] : 0;
        }
        return Optional.of(new Count(jobs, gone, false));
    }

    /** The count of a list that was told as a whole. */
    static Count countAll(long[][] front, long[][] end) {
        long jobs = 0;
        long gone = 0;
        for (long[] run : Stream.of(front, end).flatMap(Stream::of).toList()) {
            jobs += run[1];
            gone += run[2];
        }
        return new Count(jobs, gone, true);
    }
}
