package io.headgate.redis.queues;

import io.headgate.redis.internal.Packed;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the header of a queue counts, and what there is, at one instant. What the header is wrong by stays the same, whatever
 * others do: every script adds and subtracts.
 *
 * @param jobs by how much too many jobs it counts
 * @param leased by how much too many in hand
 * @param cancelled by how much too many cancelled ones in lists
 * @param seq the number of the last job, as it says
 * @param longest the length of the longest record in a sorted set, as it says
 * @param knowsFirstLease whether it knows of the first lease
 * @param about what is wrong, for people
 */
record AuditCount(
        long jobs, long leased, long cancelled, long seq, long longest, boolean knowsFirstLease, List<String> about) {

    /**
     * Reads what audit_count.lua answers; nothing when too many jobs came since the lists were looked at.
     *
     * @param stopped whether nobody can have changed the lists since
     */
    static Optional<AuditCount> of(byte[] reply, List<AuditedList> lists, boolean stopped) {
        long[] told = new long[7];
        for (int i = 0; i < told.length; i++) {
            told[i] = Packed.number(reply, 6 * i, 6);
        }
        boolean knows = reply[42] != 0;
        int[] at = {43};
        long inLists = 0;
        long gone = 0;
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
            gone += count.get().gone();
            exact &= count.get().exact() || stopped;
        }
        // In a long list more may have been cancelled since it was looked at, but none can have come back.
        long cancelled = exact ? gone : Math.max(gone, told[2]);
        long jobs = inLists - cancelled + told[6] + told[5];
        List<String> about = new ArrayList<>();
        compare(about, "jobs", told[0], jobs);
        compare(about, "jobs in hand", told[1], told[5]);
        compare(about, "cancelled jobs in lists", told[2], cancelled);
        return Optional.of(
                new AuditCount(told[0] - jobs, told[1] - told[5], told[2] - cancelled, told[3], told[4], knows, about));
    }

    private static void compare(List<String> about, String what, long told, long there) {
        if (told != there) {
            about.add(what + ": header says " + told + ", there are " + there);
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
