package io.headgate.redis.queues;

import java.util.ArrayList;
import java.util.List;

/**
 * The runs in which the jobs of one call lie that are due at once.
 *
 * @param jobs how many each of them has
 * @param recordBytes of a job
 */
record PlannedRuns(List<Integer> jobs, double recordBytes) {

    PlannedRuns {
        jobs = List.copyOf(jobs);
    }

    /** Of jobs without keys: as few as may be. */
    static PlannedRuns together(int batch, int recordBytes) {
        int most = Math.max(
                1, Math.min(EnqueuePlanner.MAX_JOBS_OF_A_RUN, EnqueuePlanner.MAX_BYTES_OF_A_RUN / recordBytes));
        List<Integer> jobs = new ArrayList<>();
        for (int left = batch; left > 0; left -= most) {
            jobs.add(Math.min(left, most));
        }
        return new PlannedRuns(jobs, recordBytes);
    }

    /** Of jobs of which some have keys: each is a run. */
    static PlannedRuns alone(double recordBytes) {
        return new PlannedRuns(List.of(1), recordBytes);
    }

    /** How long the records of each are. */
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
