package io.headgate.redis.queues.internal.audit;

import io.headgate.queues.internal.Utf8;
import io.headgate.redis.internal.script.Packed;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The differences between the counts in the header of a queue and its stored jobs, at one instant. A difference stays the same while
 * clients use the queue, because scripts only add to the counts and subtract from them. It is negative if the header counts too few.
 *
 * @param jobs the jobs in the header minus the stored jobs
 * @param leased the leased jobs in the header minus the jobs that are leased
 * @param cancelled the cancelled jobs in the header minus the cancelled jobs in lists
 * @param seq the number of the last job, according to the header
 * @param longest the length of the longest record in a sorted set, according to the header
 * @param knowsFirstLease whether no lease expires before the time that the header has for the first one
 * @param about descriptions of the differences
 */
record AuditCount(
        long jobs, long leased, long cancelled, long seq, long longest, boolean knowsFirstLease, List<String> about) {

    /**
     * Reads the reply of audit_count in audit.lua; empty when too many jobs or a tenant were added since the lists were scanned, or when
     * counting {@linkplain #takesTooLong takes too long}.
     *
     * @param stopped whether no client can have changed the lists since they were scanned
     */
    static Optional<AuditCount> of(byte[] reply, List<AuditedList> lists, boolean stopped) {
        if (reply.length == 0 || takesTooLong(reply)) {
            return Optional.empty();
        }
        // Of the header: jobs, leased and cancelled jobs, last number, longest record. Counted: leased jobs, and jobs
        // in sorted sets.
        long[] header = new long[7];
        for (int i = 0; i < header.length; i++) {
            header[i] = Packed.number(reply, 6 * i, 6);
        }
        boolean knows = reply[42] != 0;
        int[] at = {43};
        long inLists = 0;
        long knownCancelled = 0;
        boolean exact = true;
        for (AuditedList list : lists) {
            boolean all = reply[at[0]++] != 0;
            long[][] front = runs(reply, at);
            long[][] end = runs(reply, at);
            Optional<AuditedList.Count> count =
                    all ? Optional.of(AuditedList.countAll(front, end)) : list.count(front, end);
            if (count.isEmpty()) {
                return Optional.empty();
            }
            inLists += count.get().jobs();
            knownCancelled += count.get().cancelled();
            exact &= count.get().exact() || stopped;
        }
        // A list that is too long to be counted again is known as of its scan. Jobs may have been cancelled since, so
        // knownCancelled is a lower bound, and a higher count of the header is taken as right.
        long cancelled = exact ? knownCancelled : Math.max(knownCancelled, header[2]);
        long jobs = inLists - cancelled + header[6] + header[5];
        List<String> about = new ArrayList<>();
        compare(about, "jobs", header[0], jobs);
        compare(about, "leased jobs", header[1], header[5]);
        compare(about, "cancelled jobs in lists", header[2], cancelled);
        return Optional.of(new AuditCount(
                header[0] - jobs, header[1] - header[5], header[2] - cancelled, header[3], header[4], knows, about));
    }

    /** Whether the script has counted nothing, because counting would have blocked Redis for too long. */
    static boolean takesTooLong(byte[] reply) {
        return reply.length == 1;
    }

    /** The arguments of audit_count for a queue with tenants: their number, and each tenant, whose waiting jobs are a lane. */
    static List<byte[]> lanes(Set<String> tenants) {
        return Stream.concat(
                        Stream.of(Packed.text(tenants.size())), tenants.stream().map(Utf8::of))
                .toList();
    }

    private static void compare(List<String> about, String what, long inHeader, long there) {
        if (inHeader != there) {
            about.add(what + ": header says " + inHeader + ", there are " + there);
        }
    }

    private static long[][] runs(byte[] reply, int[] at) {
        long[][] runs = new long[(int) Packed.number(reply, at[0], 2)][3];
        at[0] += 2;
        for (long[] run : runs) {
            for (int i = 0; i < 3; i++) {
                run[i] = Packed.number(reply, at[0], 6);
                at[0] += 6;
            }
        }
        return runs;
    }
}
