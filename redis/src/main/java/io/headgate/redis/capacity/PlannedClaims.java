package io.headgate.redis.capacity;

import io.headgate.redis.capacity.CollectionAllocation.Entries;
import io.headgate.redis.internal.script.RespSize;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** A model of the claims of a queue: how Redis stores and returns the jobs of a claim, and how many commands claim them. */
final class PlannedClaims {

    /** The length of a claim's token. */
    static final int TOKEN = 12;

    private PlannedClaims() {}

    /**
     * The layout in which the runs (see {@link JobSizes}) of a claim are stored and returned, as in store_claim of claim.lua. Many or small
     * runs are joined into one part. A few large runs are stored as separate parts: a run of a list as two, its head and its records.
     *
     * @param runs the number of runs
     * @param runBytes the size of the records of a run
     * @param joined whether all runs are joined into one part
     * @param separateHeads whether the head of a run is a separate part
     */
    record Layout(double runs, double runBytes, boolean joined, boolean separateHeads) {

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
                                / PlannedRuns.ofPlainJobs(load.batch, sizes.record(false, 0))
                                        .jobsOfARun());
            }
            return of(load, jobs, runs);
        }

        /** The layout of a claim of that number of jobs and runs. */
        static Layout of(QueueLoad load, double jobs, double runs) {
            double records = jobs * new JobSizes(load).claimedRecord();
            boolean separateHeads = load.delay == 0;
            boolean joined = runs * (separateHeads ? 2 : 1) > MAX_PARTS || records + runs * JobSizes.RUN < MIN_BYTES;
            return new Layout(runs, records / runs, joined, separateHeads);
        }

        /** The fields of the hash of records, for that number of claims. */
        List<Entries> fields(double claims) {
            if (joined) {
                return List.of(new Entries(claims, TOKEN, Math.round(runs * (JobSizes.RUN + runBytes))));
            }
            if (!separateHeads) {
                return List.of(new Entries(claims * runs, TOKEN + 1, Math.round(JobSizes.RUN + runBytes)));
            }
            return List.of(
                    new Entries(claims * runs, TOKEN + 1, JobSizes.RUN),
                    new Entries(claims * runs, TOKEN + 1, Math.round(runBytes)));
        }

        /** The size of the reply. */
        double replyBytes() {
            if (joined) {
                return RespSize.bulk((int) Math.round(runs * (JobSizes.RUN + runBytes)));
            }
            if (!separateHeads) {
                return runs * RespSize.bulk((int) Math.round(JobSizes.RUN + runBytes));
            }
            return runs * (RespSize.bulk(JobSizes.RUN) + RespSize.bulk((int) Math.round(runBytes)));
        }
    }

    /**
     * The mean result of a claim from a queue that always has due jobs.
     *
     * @param jobs the number of claimed jobs
     * @param runs the number of runs that contain them
     * @param commands the number of commands that claim them
     */
    record FullClaim(double jobs, double runs, double commands) {

        /** The bytes of records after which a claim stops, as in common.lua. */
        private static final int MAX_BYTES = 131_072;

        private static final int SIMULATED_CLAIMS = 200;
        private static final int MIN_LOOKAHEAD = 4;
        private static final int LRANGE_LPOP_LTRIM = 3;
        private static final int LPUSHES = 2;

        /**
         * A claim from a list, as in claim_level of claim.lua. The method simulates consecutive claims, because a run of which one claim
         * leaves a part changes the next claim.
         */
        static FullClaim fromList(int most, PlannedRuns runs) {
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
            return new FullClaim(
                    (double) jobs / SIMULATED_CLAIMS,
                    (double) parts / SIMULATED_CLAIMS,
                    (double) commands / SIMULATED_CLAIMS);
        }

        /** A claim from a sorted set, as in claim_merged of claim.lua. */
        static FullClaim fromSet(int most, double recordBytes) {
            double length = JobSizes.RUN + recordBytes;
            int jobsPerRead = (int) Math.max(1, MAX_BYTES / length);
            int mostForBytes = (int) Math.ceil(MAX_BYTES / length);
            int jobs = Math.min(most, mostForBytes);
            int reads = (jobs + jobsPerRead - 1) / jobsPerRead;
            // LRANGE of the empty list; ZRANGE and ZREMRANGEBYRANK for each read.
            return new FullClaim(jobs, jobs, 1 + 2.0 * reads);
        }
    }
}
