package io.headgate.redis.capacity;

import io.headgate.queues.Priority;
import io.headgate.redis.internal.script.RespSize;
import java.util.List;

/**
 * The calls of a planned queue: for each kind of call, the commands that its script runs, and the sizes of its request and reply. The
 * numbers mirror the scripts.
 *
 * <p>Workers call at the rate that {@link WorkerPace} computes. If the plan gives the number of jobs of a claim, clients call {@code
 * claim} and {@code ackAll} instead, on a queue that always has due jobs.
 */
final class QueueTraffic {

    /** The commands of every script: EVALSHA, TIME, GET and SET of the header. */
    private static final double BASE = 4;

    /** PERSIST, in scripts that claim or settle. */
    private static final double PERSIST = 1;

    /** ZCOUNT, LRANGE and ZRANGE, for each priority without due jobs. */
    private static final double CHECK_PRIORITY = 3;

    private static final double STORE_CLAIM = 3;
    private static final double DELETE_CLAIM = 3;

    /** The bytes of the first string in the reply to a claim. */
    private static final int HEAD_OF_CLAIM = 18;

    /** The bytes of the first argument of a claim. */
    private static final int CLAIM_ARGUMENT = 10;

    /** The bytes before the first string of a list of up to 9 strings. */
    private static final int LIST_HEAD = 4;

    private static final int TOKEN = PlannedClaims.TOKEN;
    private static final int TIME = 7;

    /** The bytes of an action that settles a job, including the index of the job; ACK_OF_SOME acknowledges consecutive jobs. */
    private static final int RETRY = 13;

    private static final int DEAD_LETTER = 5;
    private static final int ACK = 3;
    private static final int ACK_OF_SOME = 5;
    private static final int EXTEND = 10;

    /** ZCARD and ZCOUNT, in calls that claim or settle while done jobs are kept. */
    private static final int CHECK_DONE = 2;

    /** The bytes of the argument with the retention of done jobs. */
    private static final int RETENTION = 11;

    /** ZRANGE and ZREMRANGEBYRANK, which remove a batch of done jobs. */
    private static final int REMOVE_DONE = 2;

    private static final int REMOVED_PER_BATCH = 16;

    private final QueueLoad load;
    private final JobSizes sizes;
    private final WorkerPace pace;
    private final String[] claimKeys;
    private final String[] settleKeys;

    /** The number of retention arguments in a call: 1 if done jobs are kept, otherwise 0. */
    private final int keeping;

    QueueTraffic(QueueLoad load) {
        this.load = load;
        this.sizes = new JobSizes(load);
        this.pace = WorkerPace.of(load, fullClaim());
        boolean keeps = load.keepDone.isAny();
        this.claimKeys = keeps ? load.keys().allAndDone() : load.keys().all();
        this.settleKeys = keeps ? load.keys().allAndDone() : load.keys().allButReadyRecords();
        this.keeping = keeps ? 1 : 0;
    }

    private PlannedClaims.FullClaim fullClaim() {
        int most = load.manualClaim.orElse(load.concurrency);
        if (load.delay > 0) {
            return PlannedClaims.FullClaim.fromSet(most, sizes.claimedRecord());
        }
        return PlannedClaims.FullClaim.fromList(
                most,
                load.keyed > 0
                        ? PlannedRuns.ofSingleJobs(sizes.record(0))
                        : PlannedRuns.ofPlainJobs(load.batch, sizes.record(false, 0)));
    }

    /** The mean number of jobs of a claim. */
    double jobsOfAClaim() {
        return pace.jobsOfAClaim();
    }

    List<QueueCalls> calls() {
        return List.of(enqueue(), claim(), emptyClaim(), settle(), extend(), signal());
    }

    private QueueCalls enqueue() {
        double calls = load.enqueued / load.batch;
        double withKeys = load.keyed > 0 ? 1 - Math.pow(1 - load.keyed, load.batch) : 0;
        boolean delays = load.delay > 0;
        double plain = calls * (1 - withKeys);
        double keyed = calls * withKeys;
        double in = keyed
                        * (enqueueBytes(load.keys().enqueueAny(), delays, withKeys == 0 ? 0 : load.keyed / withKeys)
                                + retentionBytes())
                + plain
                        * (delays
                                ? enqueueBytes(plainKeys(), true, 0)
                                : enqueueNowBytes(PlannedRuns.ofPlainJobs(load.batch, sizes.record(false, 0))));
        // The reply of enqueue has 15 bytes for each job, that of enqueue_now has 13 bytes.
        int each = RespSize.bulk(15 * load.batch);
        double out = keyed * each + plain * (delays ? each : RespSize.bulk(13));
        // ZADD, or RPUSH of heads and of records, before which enqueue_now calls LLEN; HGET and HSET for each job key.
        double commands = calls * (BASE + (delays ? 1 : 2)) + (delays ? 0 : plain) + 2 * load.enqueued * load.keyed;
        return new QueueCalls("enqueue", calls, commands, in, out);
    }

    private String[] plainKeys() {
        return load.keys().enqueue(Priority.NORMAL);
    }

    /** The bytes of a call of enqueue_now in enqueue.lua. */
    private double enqueueNowBytes(PlannedRuns runs) {
        String[] keys = plainKeys();
        // Three arguments: numbers of jobs of the queue and of the call (8 bytes), of the only group (2), and of each
        // run (2 each).
        double bytes = RespSize.evalsha(keys.length, 3 + runs.jobs().size())
                + bulks(keys)
                + RespSize.bulk(8)
                + RespSize.bulk(2)
                + RespSize.bulk(2 * runs.jobs().size());
        for (int jobs : runs.jobs()) {
            bytes += RespSize.bulk((int) Math.round(jobs * runs.recordBytes()));
        }
        return bytes;
    }

    /** The bytes of a call of enqueue.lua in which this share of the jobs has keys. */
    private double enqueueBytes(String[] keys, boolean delays, double keyed) {
        // The first argument of a job: the size of its group (2), the mode (1), and a delay (7). The second is the
        // record.
        double job = RespSize.bulk(3 + (delays ? TIME : 0))
                + RespSize.bulk(sizes.record(false, 0)) * (1 - keyed)
                + RespSize.bulk(sizes.record(true, 0)) * keyed;
        return RespSize.evalsha(keys.length, 1 + 2 * load.batch) + bulks(keys) + RespSize.bulk(6) + load.batch * job;
    }

    private QueueCalls claim() {
        double claims = pace.claims();
        double commands = claims * (BASE + PERSIST + STORE_CLAIM + keeping * CHECK_DONE + pace.commandsOfAClaim())
                // The location of a job that was retried is removed.
                + load.retried();
        double joined = pace.joinedShare();
        double content = PlannedClaims.Layout.of(load, pace.jobsOfAClaim(), pace.runsOfAClaim())
                .replyBytes();
        double settling = joined * pace.settlesOfAClaim();
        double in = claimBytes(settling > 0.5) + settling * settlementBytes();
        double out =
                LIST_HEAD + RespSize.bulk(HEAD_OF_CLAIM) + content + joined * pace.jobsOfAClaim() + RespSize.bulk(0);
        return new QueueCalls("claim", claims, commands + joined * settled(), claims * in, claims * out);
    }

    private double claimBytes(boolean settles) {
        return RespSize.evalsha(claimKeys.length, (settles ? 4 : 2) + keeping)
                + bulks(claimKeys)
                + retentionBytes()
                + RespSize.bulk(CLAIM_ARGUMENT)
                + RespSize.bulk(TOKEN);
    }

    private QueueCalls emptyClaim() {
        double claims = pace.emptyClaims();
        double out = LIST_HEAD + RespSize.bulk(HEAD_OF_CLAIM) + RespSize.bulk(0);
        return new QueueCalls(
                "empty claim",
                claims,
                claims * (BASE + PERSIST + keeping * CHECK_DONE + 3 * CHECK_PRIORITY),
                claims * claimBytes(false),
                claims * out);
    }

    private QueueCalls settle() {
        double separate = 1 - pace.joinedShare();
        double calls = pace.settling() * separate;
        double in = RespSize.evalsha(settleKeys.length, 2 + keeping)
                + bulks(settleKeys)
                + retentionBytes()
                + settlementBytes();
        double out = RespSize.bulk((int) Math.round(TIME + pace.jobsOfAClaim() / pace.settlesOfAClaim()));
        double commands = calls * (BASE + PERSIST + keeping * CHECK_DONE) + separate * settled();
        return new QueueCalls("settle", calls, commands, calls * in, calls * out);
    }

    /** The commands per second that settle jobs, in addition to the commands of every call. */
    private double settled() {
        double acked = load.acked();
        double reads = pace.settling() * (2 - pace.plainShare());
        // HSET and ZADD of a claim that has unsettled jobs left.
        double changes = 2 * (pace.settling() - pace.claims());
        return reads
                + changes
                + pace.claims() * DELETE_CLAIM
                + 2 * acked * load.keyed
                + keeping * kept(acked)
                + 2 * load.retried()
                + (2 + 2 * load.keyed) * load.newDeadLetters();
    }

    /** The commands per second that store these done jobs with their locations, and remove as many old ones. */
    private double kept(double acked) {
        double batchSize = Math.min(REMOVED_PER_BATCH, pace.jobsOfAClaim() / pace.settlesOfAClaim());
        return 2 * acked + acked * (1 + 2 * load.keyed) + REMOVE_DONE * acked / batchSize;
    }

    private int retentionBytes() {
        return keeping * RespSize.bulk(RETENTION);
    }

    /** The size of the arguments that settle jobs of one claim: its token, and the actions. */
    private double settlementBytes() {
        double claimed = load.claimedJobs();
        double jobs = pace.jobsOfAClaim() / pace.settlesOfAClaim();
        double plain = keeping > 0 ? 0 : (1 - load.failing) * (1 - load.keyed);
        // Plain acknowledgements of consecutive jobs are sent as a range.
        double acks = Math.min(ACK * jobs * plain, ACK_OF_SOME * plain * (1 + jobs * (1 - plain)));
        double others = load.retried() / claimed * (RETRY + load.cause)
                + load.newDeadLetters() / claimed * (DEAD_LETTER + load.cause)
                + ACK * (1 - load.failing) * (keeping > 0 ? 1 : load.keyed);
        double whole = pace.wholeShare();
        double actions = acks + jobs * others;
        return RespSize.bulk(TOKEN) + whole * RespSize.bulk(2) + (1 - whole) * RespSize.bulk((int) Math.round(actions));
    }

    private QueueCalls extend() {
        double calls = pace.claims() * load.extensions();
        double jobs = pace.jobsOfAClaim();
        double in = RespSize.evalsha(settleKeys.length, 2 + keeping)
                + bulks(settleKeys)
                + retentionBytes()
                + RespSize.bulk(TOKEN)
                + RespSize.bulk((int) Math.round(jobs * EXTEND));
        // HGET, HSET and ZADD of the claim.
        return new QueueCalls(
                "extend",
                calls,
                calls * (BASE + PERSIST + keeping * CHECK_DONE + 3),
                calls * in,
                calls * RespSize.bulk((int) Math.round(TIME + jobs)));
    }

    private QueueCalls signal() {
        double signals = pace.signals();
        int message = LIST_HEAD
                + RespSize.bulk("message".length())
                + RespSize.bulk(load.keys().header().length())
                + RespSize.bulk(0);
        return new QueueCalls("signal", 0, signals, 0, signals * load.workers * message);
    }

    private static int bulks(String[] keys) {
        int bytes = 0;
        for (String key : keys) {
            bytes += RespSize.bulk(key.length());
        }
        return bytes;
    }
}
