package io.headgate.redis.queues;

import io.headgate.redis.internal.CollectionAllocation.Alike;
import java.util.ArrayList;
import java.util.List;

/**
 * How many jobs of a planned queue are where, on average or at the peak.
 *
 * @param ready in the list
 * @param delayed that wait for the first time, in the sorted set
 * @param retried that wait for another attempt, in the sorted set
 * @param inHand claimed and not settled
 * @param claims that have jobs in hand
 * @param jobsOfAClaim how many jobs they had
 * @param dead dead letters
 * @param done done jobs that are kept
 */
record QueueMoment(
        double ready,
        double delayed,
        double retried,
        double inHand,
        double claims,
        double jobsOfAClaim,
        double dead,
        double done) {

    static QueueMoment average(QueueLoad load, double jobsOfAClaim) {
        boolean delays = load.delay > 0;
        return new QueueMoment(
                delays ? 0 : load.waiting(),
                delays ? load.waiting() : 0,
                load.retried() * load.backoff,
                load.inHand(),
                claims(load, load.inHand(), jobsOfAClaim),
                jobsOfAClaim,
                load.dead,
                load.done());
    }

    /** When no job was handled for a while, and then all handlers begin. */
    static QueueMoment peak(QueueLoad load, double jobsOfAClaim) {
        QueueMoment average = average(load, jobsOfAClaim);
        double more = load.enqueued * load.standstill;
        boolean delays = load.delay > 0;
        if (load.claimed.isPresent()) {
            return average.with(more, delays, average.inHand, average.claims, jobsOfAClaim);
        }
        double ofAWorker = load.mostInHand(load.mostHandled() / load.workers);
        double inHand = Math.max(average.inHand, load.workers * ofAWorker);
        // A worker claims anew when it has half of it left.
        double ofAClaim = Math.max(jobsOfAClaim, ofAWorker / 2);
        return average.with(more, delays, inHand, claims(load, inHand, ofAClaim), ofAClaim);
    }

    private QueueMoment with(double more, boolean delays, double hand, double ofHand, double ofAClaim) {
        return new QueueMoment(
                ready + (delays ? 0 : more),
                delayed + (delays ? more : 0),
                retried,
                hand,
                ofHand,
                ofAClaim,
                dead,
                done);
    }

    /**
     * How many claims have jobs in hand: each stays until its last job ends, and where handling takes from nothing to twice
     * the mean, that is by so much later.
     */
    private static double claims(QueueLoad load, double inHand, double ofAClaim) {
        double later = load.claimed.isPresent() ? 1 : 2 * ofAClaim / (ofAClaim + 1);
        return inHand / ofAClaim * later;
    }

    /** What there is of that in one of so many shards. */
    QueueMoment ofShard(int shards) {
        return new QueueMoment(
                ready / shards,
                delayed / shards,
                retried / shards,
                inHand / shards,
                claims / shards,
                jobsOfAClaim,
                dead / shards,
                done / shards);
    }

    double live() {
        return ready + delayed + retried + inHand;
    }

    /** The members of the sorted set of those that wait. */
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
