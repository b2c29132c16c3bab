package io.headgate.redis.capacity;

import io.headgate.redis.capacity.CollectionAllocation.Alike;
import java.util.ArrayList;
import java.util.List;

/**
 * A snapshot of a planned queue: how many jobs are in each state, on average or at the peak.
 *
 * @param ready ready jobs, in the list
 * @param delayed jobs that wait for their first attempt, in the sorted set
 * @param retried jobs that wait for another attempt, in the sorted set
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
                load.done());
    }

    /** The peak: no job was handled for a while, then all handlers start. */
    static QueueSnapshot peak(QueueLoad load, double jobsOfAClaim) {
        QueueSnapshot average = average(load, jobsOfAClaim);
        double more = load.enqueued * load.standstill;
        boolean delays = load.delay > 0;
        if (load.claimed.isPresent()) {
            return average.with(more, delays, average.inFlight, average.claims, jobsOfAClaim);
        }
        double ofAWorker = load.mostInFlight(load.mostHandled() / load.workers);
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
     * Returns how many claims have jobs in flight. A claim stays until its last job ends; when handling times are uniform from 0 to
     * twice the mean, that is later than the mean by this factor.
     */
    private static double claims(QueueLoad load, double inFlight, double ofAClaim) {
        double later = load.claimed.isPresent() ? 1 : 2 * ofAClaim / (ofAClaim + 1);
        return inFlight / ofAClaim * later;
    }

    /** The share of one of that number of shards. */
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
    List<Alike> waiting(QueueLoad load, JobSizes sizes) {
        List<Alike> members = new ArrayList<>();
        addAlone(members, delayed, 0, load, sizes);
        double all = load.attemptsOfAJob() - 1;
        for (int failures = 1; failures < load.attempts && all > 0; failures++) {
            addAlone(members, retried * Math.pow(load.failing, failures) / all, failures, load, sizes);
        }
        return members;
    }

    /** The members of the sorted set of dead letters. */
    List<Alike> dead(QueueLoad load, JobSizes sizes) {
        List<Alike> members = new ArrayList<>();
        addAlone(members, dead, load.attempts, load, sizes);
        return members;
    }

    /** The members of the sorted set of done jobs. */
    List<Alike> done(QueueLoad load, JobSizes sizes) {
        List<Alike> members = new ArrayList<>();
        double acked = 0;
        for (int failures = 0; failures < load.attempts; failures++) {
            acked += Math.pow(load.failing, failures);
        }
        for (int failures = 0; failures < load.attempts; failures++) {
            double count = done * Math.pow(load.failing, failures) / acked;
            members.add(Alike.members(count * (1 - load.keyed), sizes.done(false, failures)));
            members.add(Alike.members(count * load.keyed, sizes.done(true, failures)));
        }
        return members;
    }

    private static void addAlone(List<Alike> into, double count, int failures, QueueLoad load, JobSizes sizes) {
        into.add(Alike.members(count * (1 - load.keyed), sizes.alone(false, failures)));
        into.add(Alike.members(count * load.keyed, sizes.alone(true, failures)));
    }
}
