package io.headgate.redis.queues.internal.audit;

import io.headgate.redis.internal.script.Packed;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Counts the jobs of a list of ready jobs at one instant, however long the list is. Runs, of one or more jobs each, are added at its end
 * and removed at its front. In between, runs do not change, except that jobs are cancelled; a cancelled job still counts. Each step of
 * the audit scans and counts a piece of the list. These counts remain valid for the pieces that are still in the list, and only both ends
 * must be counted at that instant. Not safe for use by several threads.
 */
final class AuditedList {

    /** How many jobs a piece has, and how many of them were cancelled when it was scanned. */
    private record Piece(long jobs, long cancelled) {}

    /**
     * The count of a list.
     *
     * @param jobs the number of jobs, including cancelled ones
     * @param cancelled the number of cancelled jobs, or less
     * @param exact whether the number of cancelled jobs is exact
     */
    record Count(long jobs, long cancelled, boolean exact) {}

    private final TreeMap<Long, Piece> byLowest = new TreeMap<>();
    private long top;
    private long seenUpTo;

    /** The job number up to which the list was scanned. */
    long top() {
        return top;
    }

    /** Adds a step of audit_list in audit_jobs.lua; returns its lowest job number, 0 if it has no new jobs. */
    long add(byte[] step) {
        long lowest = Packed.number(step, 0, 6);
        if (lowest > 0) {
            byLowest.put(lowest, new Piece(Packed.number(step, 12, 6), Packed.number(step, 18, 6)));
        }
        return lowest;
    }

    /** Records the highest job number of a step. */
    void recordHighest(long highest) {
        seenUpTo = Math.max(seenUpTo, highest);
    }

    /**
     * Records that a scan has ended. It went from the highest recorded number down to the front, or to the number at which the previous
     * scan started.
     */
    void scanEnded() {
        top = seenUpTo;
    }

    /**
     * Returns the count, given the runs in the reply of audit_count in audit.lua; empty when too many jobs were added since the last
     * scan.
     *
     * @param front runs at the front: first number, jobs, cancelled jobs
     * @param end runs at the end
     */
    Optional<Count> count(long[][] front, long[][] end) {
        Long next = front.length == 0 ? null : byLowest.ceilingKey(front[0][0]);
        // The runs at both ends must overlap the pieces that were scanned; otherwise runs in between are not counted
        // yet.
        if (next == null || end.length == 0 || end[0][0] > top || front[front.length - 1][0] < next) {
            return Optional.empty();
        }
        long jobs = 0;
        long cancelled = 0;
        for (long[] run : front) {
            jobs += run[0] < next ? run[1] : 0;
            cancelled += run[0] < next ? run[2] : 0;
        }
        for (Map.Entry<Long, Piece> piece : byLowest.tailMap(next).entrySet()) {
            jobs += piece.getValue().jobs();
            cancelled += piece.getValue().cancelled();
        }
        for (long[] run : end) {
            jobs += run[0] > top ? run[1] : 0;
            cancelled += run[0] > top ? run[2] : 0;
        }
        return Optional.of(new Count(jobs, cancelled, false));
    }

    /** Returns the count of a list whose runs are all given. */
    static Count countAll(long[][] front, long[][] end) {
        long jobs = 0;
        long cancelled = 0;
        for (long[] run : Stream.of(front, end).flatMap(Stream::of).toList()) {
            jobs += run[1];
            cancelled += run[2];
        }
        return new Count(jobs, cancelled, true);
    }
}
