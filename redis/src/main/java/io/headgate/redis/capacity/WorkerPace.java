package io.headgate.redis.capacity;

/**
 * A model of the calls of workers: how often they call, and how many jobs a call claims.
 *
 * <p>A worker makes one call at a time, so jobs that become due during a call are claimed by the next one. When a call enqueues due jobs,
 * or a waiting job becomes due, all workers poll; one of them gets the jobs, and the others poll in vain. After a second without jobs, a
 * worker polls anyway. Handling times are uniform from 0 to twice the mean, so the jobs of a claim end one after the other, and are
 * settled by several calls.
 *
 * @param claims calls a second that return jobs
 * @param claimsInVain calls a second that return none
 * @param signals messages published a second
 * @param jobsOfAClaim how many jobs a claim returns
 * @param runsOfAClaim in how many runs
 * @param partsOfAClaim how many calls settle its jobs
 * @param joinedShare the share of these calls that also claim
 * @param plainShare the share of these calls that only acknowledge jobs without keys
 * @param wholeShare the share of claims that a single call acknowledges as a whole
 * @param looksOfAClaim commands with which a claim finds jobs and takes them
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

    /** A worker polls at least this often, in seconds. */
    private static final double LONGEST_WAIT = 1;

    /** The seconds from a signal, or from the due time of a job, until a worker polls, on an idle JVM. */
    private static final double AFTER_SIGNAL = 0.0005;

    private static final double AFTER_DUE = 0.00015;

    /** Jobs that end within this time, in seconds, are settled together. */
    private static final double TOGETHER = 0.00002;

    /** The commands of a claim that takes all due jobs: three for each other priority, ZCOUNT and ZRANGE for this one. */
    private static final double LOOKS = 8;

    /** The commands of a claim that is full: three for the higher priority, ZCOUNT for this and for the lower one. */
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
        // Jobs that were enqueued together become due one by one.
        double becomeDue = (delays ? load.enqueued : 0) + load.retried();
        double signalled = delays ? 0 : calls;
        double events = becomeDue + signalled;
        double wait = load.roundTrip;
        double cycle = wait + (signalled * AFTER_SIGNAL + becomeDue * AFTER_DUE) / events;
        double polls = 1 / (cycle + -Math.expm1(-events * LONGEST_WAIT) / events);
        double arriving = Math.max(1, load.handedOut() * (1 / events + cycle));
        double jobs = Math.min(arriving, load.mostInFlight(load.handedOut() / load.workers));
        double claims = load.handedOut() / jobs;
        // A delayed job that is due before all others is signalled, too.
        double published = delays ? calls / (1 + load.waiting()) : calls / (1 + events * cycle);
        double fromSet = becomeDue / events;
        double ends = claims * ends(jobs, load.handling) / load.workers;
        double pollRate = Math.max(polls, claims / load.workers);
        double settling = ends / (1 + ends * wait);
        double alone = Math.max(0, Math.min(settling, (pollRate + ends) / (1 + (pollRate + ends) * wait) - pollRate));
        // A worker that has more to claim settles in the same call.
        double joined = 1 - alone / settling * (jobs / arriving);
        double parts = Math.max(1, settling * load.workers / claims);
        double plain = plain(load, jobs / parts);
        return new WorkerPace(
                claims,
                Math.max(0, load.workers * polls - claims),
                published,
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

    /** Returns how often jobs of a claim end: the first alone, others together if they end at nearly the same time. */
    private static double ends(double jobs, double handling) {
        double apart = 2 * handling / jobs;
        return jobs < 2 ? jobs : 2 + (jobs - 2) * apart / (apart + TOGETHER);
    }

    private static double plain(QueueLoad load, double jobs) {
        return load.keepDone.isAny() ? 0 : Math.pow((1 - load.failing) * (1 - load.keyed), jobs);
    }

    /** The calls a second that settle jobs. */
    double settling() {
        return claims * partsOfAClaim;
    }
}
