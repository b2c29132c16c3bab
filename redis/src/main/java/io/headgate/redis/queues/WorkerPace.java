package io.headgate.redis.queues;

/**
 * How often those who handle jobs call, and how many jobs a call hands out.
 *
 * <p>A worker makes one call at a time, so what comes during one is the next one's. Something comes when a call enqueues jobs
 * that are due, or when a job becomes due that waited: then all workers ask, one of them gets it, and the others ask in vain.
 * After a second in which nothing came, a worker asks all the same. How long handling takes is spread evenly, from nothing to
 * twice the mean, so the jobs of a claim end one after the other, and are settled by some calls.
 *
 * @param claims calls a second that hand out jobs
 * @param claimsInVain calls a second that find none
 * @param signals messages published a second
 * @param jobsOfAClaim how many jobs a claim hands out
 * @param runsOfAClaim in how many runs
 * @param partsOfAClaim by how many calls its jobs are settled
 * @param joinedShare of these calls that also claim
 * @param plainShare of these calls that only say of jobs without keys that they are done
 * @param wholeShare of the claims of which a single call says that all is done
 * @param looksOfAClaim commands with which a claim looks for jobs, and takes them
 */
record WorkerPace(
        double claims,
        double claimsInVain,
        double signals,
        double jobsOfAClaim,
        double runsOfAClaim,
        double partsOfAClaim,
        double joinedShare,
        double plainShare,
        double wholeShare,
        double looksOfAClaim) {

    /** A worker asks at the latest after so long. */
    private static final double LONGEST_WAIT = 1;

    /** How long a worker takes from a signal on, or from when a job is due, until it asks; of a JVM that has little to do. */
    private static final double AFTER_SIGNAL = 0.0005;

    private static final double AFTER_DUE = 0.00015;

    /** What ends within so short a time is said together. */
    private static final double TOGETHER = 0.00002;

    /** Commands of a claim that gets all there is: for both other priorities three each, ZCOUNT and ZRANGE for this. */
    private static final double LOOKS = 8;

    /** Of one that gets as many as it wants: three for the higher priority, ZCOUNT for this and for the lower one. */
    private static final double LOOKS_OF_FULL = 5;

    /** LRANGE, LPOP and LTRIM. */
    private static final double TAKES_FROM_LIST = 3;

    private static final double TAKES_FROM_SET = 3;

    static WorkerPace of(QueueLoad load, PlannedClaims.Taken busy) {
        return load.claimed.isPresent() ? byHand(load, busy) : byWorkers(load);
    }

    private static WorkerPace byHand(QueueLoad load, PlannedClaims.Taken busy) {
        double jobs = busy.jobs();
        return new WorkerPace(
                load.handedOut() / jobs,
                0,
                0,
                jobs,
                busy.runs(),
                1,
                0,
                plain(load, jobs),
                plain(load, jobs),
                LOOKS_OF_FULL + busy.commands());
    }

    private static WorkerPace byWorkers(QueueLoad load) {
        double calls = load.enqueued / load.batch;
        boolean delays = load.delay > 0;
        // Jobs that were enqueued together become due each by itself.
        double becomeDue = (delays ? load.enqueued : 0) + load.retried();
        double signalled = delays ? 0 : calls;
        double events = becomeDue + signalled;
        double wait = load.roundTrip;
        double asking = wait + (signalled * AFTER_SIGNAL + becomeDue * AFTER_DUE) / events;
        double turns = 1 / (asking + -Math.expm1(-events * LONGEST_WAIT) / events);
        double comes = Math.max(1, load.handedOut() * (1 / events + asking));
        double jobs = Math.min(comes, load.mostInFlight(load.handedOut() / load.workers));
        double claims = load.handedOut() / jobs;
        // A delayed job that is due before all others is told of, too.
        double told = delays ? calls / (1 + load.waiting()) : calls / (1 + events * asking);
        double fromSet = becomeDue / events;
        double ends = claims * ends(jobs, load.handling) / load.workers;
        double asks = Math.max(turns, claims / load.workers);
        double settling = ends / (1 + ends * wait);
        double alone = Math.max(0, Math.min(settling, (asks + ends) / (1 + (asks + ends) * wait) - asks));
        // Who has more to claim says so with what came of the ones before.
        double joined = 1 - alone / settling * (jobs / comes);
        double parts = Math.max(1, settling * load.workers / claims);
        double plain = plain(load, jobs / parts);
        return new WorkerPace(
                claims,
                Math.max(0, load.workers * turns - claims),
                told,
                jobs,
                runs(load, jobs),
                parts,
                joined,
                plain,
                plain * Math.max(0, 2 - parts),
                LOOKS + fromSet * TAKES_FROM_SET + (1 - fromSet) * TAKES_FROM_LIST);
    }

    private static double runs(QueueLoad load, double jobs) {
        if (load.delay > 0 || load.keyed > 0) {
            return jobs;
        }
        double ofARun = PlannedRuns.together(load.batch, new JobSizes(load).record(false, 0))
                .jobsOfARun();
        return Math.max(1, jobs / ofARun);
    }

    /** How often jobs of a claim end: the first by itself, others together when that is within no time. */
    private static double ends(double jobs, double handling) {
        double apart = 2 * handling / jobs;
        return jobs < 2 ? jobs : 2 + (jobs - 2) * apart / (apart + TOGETHER);
    }

    private static double plain(QueueLoad load, double jobs) {
        return load.keepDone.isAny() ? 0 : Math.pow((1 - load.failing) * (1 - load.keyed), jobs);
    }

    /** Calls a second that settle jobs. */
    double settling() {
        return claims * partsOfAClaim;
    }
}
