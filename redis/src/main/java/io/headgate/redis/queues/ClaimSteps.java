package io.headgate.redis.queues;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What claims take of a queue in which there are always some due.
 *
 * @param jobs that a claim hands out
 * @param runs in how many runs
 * @param takes commands that take them from where they lie
 */
record ClaimSteps(double jobs, double runs, double takes) {

    /** As calls.lua has it: how many bytes one call hands out. */
    private static final int MAX_BYTES = 131_072;

    private static final int FOLLOWED = 200;
    private static final int LEAST_LOOKED_AT = 4;
    private static final int LRANGE_LPOP_LTRIM = 3;
    private static final int LPUSHES = 2;

    /** From a list, as take.lua takes them: follows some claims, since what one leaves of a run decides on the next. */
    static ClaimSteps fromList(int most, PlannedRuns runs) {
        Deque<Integer> list = new ArrayDeque<>();
        long jobs = 0;
        long parts = 0;
        long commands = 0;
        for (int claim = 0; claim < FOLLOWED; claim++) {
            int taken = 0;
            double bytes = 0;
            int ofARun = most;
            while (taken < most && bytes < MAX_BYTES) {
                int want = Math.min(most - taken, Math.max(LEAST_LOOKED_AT, (most - taken + ofARun - 1) / ofARun));
                for (int i = 0; i < want && taken < most && bytes < MAX_BYTES; i++) {
                    if (list.isEmpty()) {
                        list.addAll(runs.jobs());
                    }
                    ofARun = list.remove();
                    int now = Math.min(ofARun, most - taken);
                    taken += now;
                    bytes += JobSizes.RUN + now * runs.recordBytes();
                    parts++;
                    if (now < ofARun) {
                        list.addFirst(ofARun - now);
                        commands += LPUSHES;
                    }
                }
                commands += LRANGE_LPOP_LTRIM;
            }
            jobs += taken;
        }
        return new ClaimSteps((double) jobs / FOLLOWED, (double) parts / FOLLOWED, (double) commands / FOLLOWED);
    }

    /** From a sorted set, as take_merged.lua takes them. */
    static ClaimSteps fromSet(int most, double recordBytes) {
        double length = JobSizes.RUN + recordBytes;
        int atOnce = (int) Math.max(1, MAX_BYTES / length);
        int mostForBytes = (int) Math.ceil(MAX_BYTES / length);
        int jobs = Math.min(most, mostForBytes);
        int looks = (jobs + atOnce - 1) / atOnce;
        return new ClaimSteps(jobs, jobs, 1 + 2.0 * looks);
    }
}
