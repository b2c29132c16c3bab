package io.headgate.redis.capacity;

/**
 * A model of the calls of workers: how often workers call, and how many jobs each call claims.
 *
 * <p>A worker makes one call at a time, so jobs that become due during a call are claimed by the next one. When a call enqueues due jobs,
 * or a waiting job becomes due, all workers poll. One of them gets the jobs; the polls of the others return none. After a second without
 * jobs, a worker polls anyway. Handling times are uniform from 0 to twice the mean, so the jobs of a claim end one after the other, and
 * several calls settle them.
 *
 * @param claims calls per second that return jobs
 * @param emptyClaims calls per second that return no jobs
 * @param signals messages published per second
 * @param jobsOfAClaim the number of jobs that a claim returns
 * @param runsOfAClaim the number of runs (see {@link JobSizes}) that contain these jobs
 * @param settlesOfAClaim the number of calls that settle the jobs of a claim
 * @param joinedShare the share of the settling calls that also claim
 * @param plainShare the share of the settling calls that only acknowledge jobs without keys
 * @param wholeShare the share of claims that a single call acknowledges as a whole
 * @param commandsOfAClaim the number of commands that find the jobs of a claim and take them
 */
record WorkerPace(
        double claims,
        double emptyClaims,
        double signals,
        double jobsOfAClaim,
        double runsOfAClaim,
        double settlesOfAClaim,
        double joinedShare,
        double plainShare,
        double wholeShare,
        double commandsOfAClaim) {

    /** The maximum time between two polls of a worker, in seconds. */
    private static final double LONGEST_WAIT = 1;

    /** The seconds from a signal until a worker polls, on an idle JVM. */
    private static final double AFTER_SIGNAL = 0.0005;

    /** The seconds from the due time of a job until a worker polls, on an idle JVM. */
    private static final double AFTER_DUE = 0.00015;

    /** Jobs that end within this time, in seconds, are settled by one call. */
    private static final double SETTLED_BY_ONE_CALL = 0.00002;

    /** The commands of a claim that finds all due jobs: three for each other priority, ZCOUNT and ZRANGE for this one. */
    private static final double FIND_ALL = 8;

    /** The commands of a claim that finds the most jobs it may: three for the higher priority, ZCOUNT for this and for the lower one. */
    private static final double FIND_MOST = 5;

    /** LRANGE, LPOP and LTRIM. */
    private static final double TAKE_FROM_LIST = 3;

    /** LRANGE, ZRANGE and ZREMRANGEBYRANK. */
    private static final double TAKE_FROM_SET = 3;

    static WorkerPace of(QueueLoad load, PlannedClaims.FullClaim fullClaim) {
        return load.manualClaim.isPresent() ? ofManualClaims(load, fullClaim) : ofWorkers(load);
    }

    private static WorkerPace ofManualClaims(QueueLoad load, PlannedClaims.FullClaim fullClaim) {
        double jobs = fullClaim.jobs();
        return new WorkerPace(
                load.claimedJobs() / jobs,
                0,
                0,
                jobs,
                fullClaim.runs(),
                1,
                0,
                plain(load, jobs),
                plain(load, jobs),
                FIND_MOST + fullClaim.commands());
    }

    private static WorkerPace ofWorkers(QueueLoad load) {
        double calls = load.enqueued / load.batch;
        boolean delays = load.delay > 0;
        // Jobs that were enqueued together become due one by one.
        double becomeDue = (delays ? load.enqueued : 0) + load.retried();
        double signalled = delays ? 0 : calls;
        double events = becomeDue + signalled;
        double wait = load.roundTrip;
        double cycle = wait + (signalled * AFTER_SIGNAL + becomeDue * AFTER_DUE) / events;
        double polls = 1 / (cycle + -Math.expm1(-events * LONGEST_WAIT) / events);
        double arriving = Math.max(1, load.claimedJobs() * (1 / events + cycle));
        double jobs = Math.min(arriving, load.maxInFlight(load.claimedJobs() / load.workers));
        double claims = load.claimedJobs() / jobs;
        // A delayed job that is due before all others is signalled too.
        double published = delays ? calls / (1 + load.waiting()) : calls / (1 + events * cycle);
        double fromSet = becomeDue / events;
        double ends = claims * ends(jobs, load.handling) / load.workers;
        double pollRate = Math.max(polls, claims / load.workers);
        double settling = ends / (1 + ends * wait);
        double alone = Math.max(0, Math.min(settling, (pollRate + ends) / (1 + (pollRate + ends) * wait) - pollRate));
        // A worker that has room for more jobs claims and settles in one call.
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
                FIND_ALL + fromSet * TAKE_FROM_SET + (1 - fromSet) * TAKE_FROM_LIST);
    }

    private static double runs(QueueLoad load, double jobs) {
        if (load.delay > 0 || load.keyed > 0) {
            return jobs;
        }
        double ofARun = PlannedRuns.ofPlainJobs(load.batch, new JobSizes(load).record(false, 0))
                .jobsOfARun();
        return Math.max(1, jobs / ofARun);
    }

    /** Returns at how many distinct times the jobs of a claim end; jobs that end at nearly the same time count as one. */
    private static double ends(double jobs, double handling) {
        double apart = 2 * handling / jobs;
        return jobs < 2 ? jobs : 2 + (jobs - 2) * apart / (apart + SETTLED_BY_ONE_CALL);
    }

    private static double plain(QueueLoad load, double jobs) {
        return load.keepDone.isAny() ? 0 : Math.pow((1 - load.failing) * (1 - load.keyed), jobs);
    }

    /** The calls per second that settle jobs. */
    double settling() {
        return claims * settlesOfAClaim;
    }
}
