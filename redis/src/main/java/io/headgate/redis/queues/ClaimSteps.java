package io.headgate.redis.queues;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * What claims take of a queue in which there are always some due.
 *
 * @param jobs that a claim hands out
 * @param takes commands that take them from where they lie
 */
record ClaimSteps(double jobs, double takes) {

    /** As claim.lua has it: how many bytes one call hands out. */
    private static final int MAX_BYTES = 524_288;

    private static final int FOLLOWED = 200;

    /** From a list, as take_runs.lua takes them: follows some claims, since what one leaves of a run decides on the next. */
    static ClaimSteps fromList(int most, PlannedRuns runs) {
        int longest = runs.lengths().stream().mapToInt(length -> length).max().orElse(1);
        int atOnce = Math.max(1, MAX_BYTES / longest);
        Deque<Integer> list = new ArrayDeque<>();
        long jobs = 0;
        long commands = 0;
        for (int claim = 0; claim < FOLLOWED; claim++) {
            int taken = 0;
            double bytes = 0;
            int ofARun = most;
            while (taken < most && bytes < MAX_BYTES) {
                int want = Math.max(1, Math.min((most - taken) / ofARun, atOnce));
                while (list.size() < want) {
                    list.addAll(runs.jobs());
                }
                commands++;
                List<Integer> back = new ArrayList<>();
                for (int i = 0; i < want; i++) {
                    int run = list.remove();
                    int now = back.isEmpty() ? Math.min(run, most - taken) : 0;
                    if (now > 0) {
                        ofARun = run;
                        taken += now;
                        bytes += JobSizes.RUN + now * runs.recordBytes();
                    }
                    if (now < run) {
                        back.add(run - now);
                    }
                }
                commands += back.size();
                for (int i = back.size() - 1; i >= 0; i--) {
                    list.addFirst(back.get(i));
                }
            }
            jobs += taken;
        }
        return new ClaimSteps((double) jobs / FOLLOWED, (double) commands / FOLLOWED);
    }

    /** From a sorted set, as take_merged.lua takes them. */
    static ClaimSteps fromSet(int most, double recordBytes) {
        double length = JobSizes.RUN + recordBytes;
        int atOnce = (int) Math.max(1, MAX_BYTES / length);
        int mostForBytes = (int) Math.ceil(MAX_BYTES / length);
        int jobs = Math.min(most, mostForBytes);
        int looks = (jobs + atOnce - 1) / atOnce;
        return new ClaimSteps(jobs, 1 + 2.0 * looks);
    }
}
