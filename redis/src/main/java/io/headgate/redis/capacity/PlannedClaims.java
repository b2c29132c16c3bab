package io.headgate.redis.capacity;

import io.headgate.redis.capacity.CollectionAllocation.Alike;
import io.headgate.redis.internal.script.RespSize;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The claims of a planned queue: how Redis stores and returns the jobs of a claim, and which commands take them from the queue. */
final class PlannedClaims {

    /** The length of a claim's token. */
    static final int TOKEN = 12;

    private PlannedClaims() {}

    /**
     * The parts in which the runs of a claim are stored and returned, as store_claim in claim.lua does: many or small runs are joined into one part; a few
     * large runs are parts of their own, and each run of a list is two parts, its head and its records.
     *
     * @param runs the number of runs
     * @param runBytes the size of the records of a run
     * @param joined whether all runs are one part
     * @param headsApart whether a head is a part of its own
     */
    record Layout(double runs, double runBytes, boolean joined, boolean headsApart) {

        private static final int MAX_PARTS = 40;
        private static final int MIN_BYTES = 2000;

        /** The layout of a claim of that number of jobs. */
        static Layout of(QueueLoad load, double jobs) {
            JobSizes sizes = new JobSizes(load);
            double runs = jobs;
            if (load.delay == 0 && load.keyed == 0) {
                runs = Math.max(
                        1,
                        jobs
                                / PlannedRuns.together(load.batch, sizes.record(false, 0))
                                        .jobsOfARun());
            }
            return of(load, jobs, runs);
        }

        /** The layout of a claim of that number of jobs and runs. */
        static Layout of(QueueLoad load, double jobs, double runs) {
            double records = jobs * new JobSizes(load).handedOut();
            boolean headsApart = load.delay == 0;
            boolean joined = runs * (headsApart ? 2 : 1) > MAX_PARTS || records + runs * JobSizes.RUN < MIN_BYTES;
            return new Layout(runs, records / runs, joined, headsApart);
        }

        /** The fields of the hash of records, for that number of claims. */
        List<Alike> fields(double claims) {
            if (joined) {
                return List.of(new Alike(claims, TOKEN, Math.round(runs * (JobSizes.RUN + runBytes))));
            }
            if (!headsApart) {
                return List.of(new Alike(claims * runs, TOKEN + 1, Math.round(JobSizes.RUN + runBytes)));
            }
            return List.of(
                    new Alike(claims * runs, TOKEN + 1, JobSizes.RUN),
                    new Alike(claims * runs, TOKEN + 1, Math.round(runBytes)));
        }

        /** The size of the reply. */
        double replyBytes() {
            if (joined) {
                return RespSize.bulk((int) Math.round(runs * (JobSizes.RUN + runBytes)));
            }
            if (!headsApart) {
                return runs * RespSize.bulk((int) Math.round(JobSizes.RUN + runBytes));
            }
            return runs * (RespSize.bulk(JobSizes.RUN) + RespSize.bulk((int) Math.round(runBytes)));
        }
    }

    /**
     * What one claim takes from a queue that always has due jobs.
     *
     * @param jobs how many jobs
     * @param runs in how many runs
     * @param commands by how many commands
     */
    record Taken(double jobs, double runs, double commands) {

        /** How many bytes one call returns, as in calls in common.lua. */
        private static final int MAX_BYTES = 131_072;

        private static final int SIMULATED_CLAIMS = 200;
        private static final int MIN_LOOKAHEAD = 4;
        private static final int LRANGE_LPOP_LTRIM = 3;
        private static final int LPUSHES = 2;

        /** Takes from a list, as claim_level in claim.lua does: simulates claims, because what one leaves of a run changes the next. */
        static Taken fromList(int most, PlannedRuns runs) {
            Deque<Integer> list = new ArrayDeque<>();
            long jobs = 0;
            long parts = 0;
            long commands = 0;
            for (int claim = 0; claim < SIMULATED_CLAIMS; claim++) {
                int taken = 0;
                double bytes = 0;
                int ofARun = most;
                while (taken < most && bytes < MAX_BYTES) {
                    int want = Math.min(most - taken, Math.max(MIN_LOOKAHEAD, (most - taken + ofARun - 1) / ofARun));
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
            return new Taken(
                    (double) jobs / SIMULATED_CLAIMS,
                    (double) parts / SIMULATED_CLAIMS,
                    (double) commands / SIMULATED_CLAIMS);
        }

        /** Takes from a sorted set, as claim_merged in claim.lua does. */
        static Taken fromSet(int most, double recordBytes) {
            double length = JobSizes.RUN + recordBytes;
            int atOnce = (int) Math.max(1, MAX_BYTES / length);
            int mostForBytes = (int) Math.ceil(MAX_BYTES / length);
            int jobs = Math.min(most, mostForBytes);
            int looks = (jobs + atOnce - 1) / atOnce;
            return new Taken(jobs, jobs, 1 + 2.0 * looks);
        }
    }
}
