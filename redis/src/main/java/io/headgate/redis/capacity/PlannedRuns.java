package io.headgate.redis.capacity;

import io.headgate.redis.queues.internal.job.EnqueueCodec;
import java.util.ArrayList;
import java.util.List;

/**
 * The runs (see {@link JobSizes}) in which the due jobs of one enqueue call of a planned queue are stored.
 *
 * @param jobs the number of jobs of each run
 * @param recordBytes the size of a job's record
 */
record PlannedRuns(List<Integer> jobs, double recordBytes) {

    PlannedRuns {
        jobs = List.copyOf(jobs);
    }

    /** The runs of a batch in which no job has a key: as few as possible. */
    static PlannedRuns ofPlainJobs(int batch, int recordBytes) {
        int most = Math.max(1, Math.min(EnqueueCodec.MAX_JOBS_OF_A_RUN, EnqueueCodec.MAX_BYTES_OF_A_RUN / recordBytes));
        List<Integer> jobs = new ArrayList<>();
        for (int left = batch; left > 0; left -= most) {
            jobs.add(Math.min(left, most));
        }
        return new PlannedRuns(jobs, recordBytes);
    }

    /** One run of one job. It stands for each job of a batch in which some jobs have keys; callers repeat it. */
    static PlannedRuns ofSingleJobs(double recordBytes) {
        return new PlannedRuns(List.of(1), recordBytes);
    }

    /** The size of the records of each run. */
    List<Integer> lengths() {
        return jobs.stream().map(count -> (int) Math.round(count * recordBytes)).toList();
    }

    int allJobs() {
        return jobs.stream().mapToInt(count -> count).sum();
    }

    /** The mean number of jobs of a run. */
    double jobsOfARun() {
        return (double) allJobs() / jobs.size();
    }
}
