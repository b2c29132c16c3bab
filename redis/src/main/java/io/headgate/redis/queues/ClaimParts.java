package io.headgate.redis.queues;

import io.headgate.redis.internal.CollectionAllocation.Alike;
import io.headgate.redis.internal.RespSize;
import java.util.List;

/**
 * In how many parts a claim's runs are kept and answered, as hold.lua has it: many or small ones as one, a few large ones as
 * they are, where each run of a list is a head and the records.
 *
 * @param runs how many there are
 * @param runBytes of the records of each
 * @param joined whether all is one part
 * @param headsApart whether a head is a part of its own
 */
record ClaimParts(double runs, double runBytes, boolean joined, boolean headsApart) {

    static final int TOKEN = 12;

    private static final int MOST_PARTS = 40;
    private static final int LEAST_BYTES = 2000;

    /** Of a claim of so many jobs. */
    static ClaimParts of(QueueLoad load, double jobs) {
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

    /** The same, in so many runs. */
    static ClaimParts of(QueueLoad load, double jobs, double runs) {
        double records = jobs * new JobSizes(load).handedOut();
        boolean headsApart = load.delay == 0;
        boolean joined = runs * (headsApart ? 2 : 1) > MOST_PARTS || records + runs * JobSizes.RUN < LEAST_BYTES;
        return new ClaimParts(runs, records / runs, joined, headsApart);
    }

    /** The fields of the hash of records, of so many claims. */
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

    /** As they are answered. */
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
