package io.headgate.redis.capacity;

import io.headgate.redis.capacity.CollectionAllocation.Entries;
import java.util.ArrayList;
import java.util.List;

/**
 * A snapshot of a planned queue: how many jobs are in each state, on average or at the peak.
 *
 * @param ready jobs in the list of ready jobs
 * @param delayed jobs in the sorted set of waiting jobs that wait for their first attempt
 * @param retried jobs in the sorted set of waiting jobs that wait for another attempt
 * @param inFlight jobs that are claimed and not settled
 * @param claims claims with jobs in flight
 * @param jobsPerClaim how many jobs a claim returned
 * @param dead dead letters
 * @param done done jobs that are kept
 */
record QueueSnapshot(
        double ready,
        double delayed,
        double retried,
        double inFlight,
        double claims,
        double jobsPerClaim,
        double dead,
        double done) {

    static QueueSnapshot average(QueueLoad load, double jobsPerClaim) {
        boolean delays = load.delay > 0;
        return new QueueSnapshot(
                delays ? 0 : load.waiting(),
                delays ? load.waiting() : 0,
                load.retried() * load.backoff,
                load.inFlight(),
                claims(load, load.inFlight(), jobsPerClaim),
                jobsPerClaim,
                load.dead,
                load.keptDone());
    }

    /** The peak: no job was handled for a while, then all handlers start. */
    static QueueSnapshot peak(QueueLoad load, double jobsPerClaim) {
        QueueSnapshot average = average(load, jobsPerClaim);
        double backlog = load.enqueued * load.standstill;
        boolean delays = load.delay > 0;
        if (load.manualClaim.isPresent()) {
            return average.with(backlog, delays, average.inFlight, average.claims, jobsPerClaim);
        }
        double inFlightPerWorker = load.maxInFlight(load.maxHandled() / load.workers);
        double inFlight = Math.max(average.inFlight, load.workers * inFlightPerWorker);
        // A worker claims again when half of its jobs are left.
        double peakPerClaim = Math.max(jobsPerClaim, inFlightPerWorker / 2);
        return average.with(backlog, delays, inFlight, claims(load, inFlight, peakPerClaim), peakPerClaim);
    }

    private QueueSnapshot with(
            double backlog, boolean delays, double inFlightThen, double claimsThen, double perClaim) {
        return new QueueSnapshot(
                ready + (delays ? 0 : backlog),
                delayed + (delays ? backlog : 0),
                retried,
                inFlightThen,
                claimsThen,
                perClaim,
                dead,
                done);
    }

    /**
     * Returns how many claims have jobs in flight. A claim is stored until its last job ends. If the handling times of n jobs are uniform
     * from 0 to twice the mean, the last one ends after 2 n / (n + 1) times the mean. Without workers, all
     * jobs of a claim are acknowledged together, after the mean.
     */
    private static double claims(QueueLoad load, double inFlight, double perClaim) {
        double lastToMean = load.manualClaim.isPresent() ? 1 : 2 * perClaim / (perClaim + 1);
        return inFlight / perClaim * lastToMean;
    }

    /** Returns the part of one shard, if the queue has that number of shards. */
    QueueSnapshot ofShard(int shards) {
        return new QueueSnapshot(
                ready / shards,
                delayed / shards,
                retried / shards,
                inFlight / shards,
                claims / shards,
                jobsPerClaim,
                dead / shards,
                done / shards);
    }

    double live() {
        return ready + delayed + retried + inFlight;
    }

    /** The members of the sorted set of waiting jobs. */
    List<Entries> waiting(QueueLoad load, JobSizes sizes) {
        List<Entries> members = new ArrayList<>();
        addSingleRuns(members, delayed, 0, load, sizes);
        double retriesPerJob = load.attemptsOfAJob() - 1;
        for (int failures = 1; failures < load.attempts && retriesPerJob > 0; failures++) {
            addSingleRuns(members, retried * Math.pow(load.failing, failures) / retriesPerJob, failures, load, sizes);
        }
        return members;
    }

    /** The members of the sorted set of dead letters. */
    List<Entries> dead(QueueLoad load, JobSizes sizes) {
        List<Entries> members = new ArrayList<>();
        addSingleRuns(members, dead, load.attempts, load, sizes);
        return members;
    }

    /** The members of the sorted set of done jobs. */
    List<Entries> done(QueueLoad load, JobSizes sizes) {
        List<Entries> members = new ArrayList<>();
        double attemptsPerJob = load.attemptsOfAJob();
        for (int failures = 0; failures < load.attempts; failures++) {
            double count = done * Math.pow(load.failing, failures) / attemptsPerJob;
            members.add(Entries.members(count * (1 - load.keyed), sizes.done(false, failures)));
            members.add(Entries.members(count * load.keyed, sizes.done(true, failures)));
        }
        return members;
    }

    private static void addSingleRuns(List<Entries> into, double count, int failures, QueueLoad load, JobSizes sizes) {
        into.add(Entries.members(count * (1 - load.keyed), sizes.singleRun(false, failures)));
        into.add(Entries.members(count * load.keyed, sizes.singleRun(true, failures)));
    }
}
