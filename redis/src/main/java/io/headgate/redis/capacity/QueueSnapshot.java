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
 * @param jobsOfAClaim how many jobs a claim returned
 * @param dead dead letters
 * @param done done jobs that are kept
 */
record QueueSnapshot(
        double ready,
        double delayed,
        double retried,
        double inFlight,
        double claims,
        double jobsOfAClaim,
        double dead,
        double done) {

    static QueueSnapshot average(QueueLoad load, double jobsOfAClaim) {
        boolean delays = load.delay > 0;
        return new QueueSnapshot(
                delays ? 0 : load.waiting(),
                delays ? load.waiting() : 0,
                load.retried() * load.backoff,
                load.inFlight(),
                claims(load, load.inFlight(), jobsOfAClaim),
                jobsOfAClaim,
                load.dead,
                load.keptDone());
    }

    /** The peak: no job was handled for a while, then all handlers start. */
    static QueueSnapshot peak(QueueLoad load, double jobsOfAClaim) {
        QueueSnapshot average = average(load, jobsOfAClaim);
        double more = load.enqueued * load.standstill;
        boolean delays = load.delay > 0;
        if (load.manualClaim.isPresent()) {
            return average.with(more, delays, average.inFlight, average.claims, jobsOfAClaim);
        }
        double ofAWorker = load.maxInFlight(load.maxHandled() / load.workers);
        double inFlight = Math.max(average.inFlight, load.workers * ofAWorker);
        // A worker claims again when half of its jobs are left.
        double ofAClaim = Math.max(jobsOfAClaim, ofAWorker / 2);
        return average.with(more, delays, inFlight, claims(load, inFlight, ofAClaim), ofAClaim);
    }

    private QueueSnapshot with(double more, boolean delays, double inFlightThen, double claimsThen, double ofAClaim) {
        return new QueueSnapshot(
                ready + (delays ? 0 : more),
                delayed + (delays ? more : 0),
                retried,
                inFlightThen,
                claimsThen,
                ofAClaim,
                dead,
                done);
    }

    /**
     * Returns how many claims have jobs in flight. A claim is stored until its last job ends. If the handling times of n jobs are uniform
     * from 0 to twice the mean, the last one ends after 2 n / (n + 1) times the mean.
     */
    private static double claims(QueueLoad load, double inFlight, double ofAClaim) {
        double lastToMean = load.manualClaim.isPresent() ? 1 : 2 * ofAClaim / (ofAClaim + 1);
        return inFlight / ofAClaim * lastToMean;
    }

    /** Returns the part of one shard, if the queue has that number of shards. */
    QueueSnapshot ofShard(int shards) {
        return new QueueSnapshot(
                ready / shards,
                delayed / shards,
                retried / shards,
                inFlight / shards,
                claims / shards,
                jobsOfAClaim,
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
        double all = load.attemptsOfAJob() - 1;
        for (int failures = 1; failures < load.attempts && all > 0; failures++) {
            addSingleRuns(members, retried * Math.pow(load.failing, failures) / all, failures, load, sizes);
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
        double acked = 0;
        for (int failures = 0; failures < load.attempts; failures++) {
            acked += Math.pow(load.failing, failures);
        }
        for (int failures = 0; failures < load.attempts; failures++) {
            double count = done * Math.pow(load.failing, failures) / acked;
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
