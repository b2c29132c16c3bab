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

    /** The commands of every script: the call, TIME, reading and writing the header. */
    private static final double BASE = 4;

    /** PERSIST, in scripts that claim or settle. */
    private static final double MAY_WRITE = 1;

    /** ZCOUNT, LPOP, ZRANGE, for each empty priority. */
    private static final double LOOK = 3;

    private static final double NOTE_CLAIM = 3;
    private static final double END_CLAIM = 3;

    private static final int HEAD_OF_CLAIM = 18;
    private static final int CLAIM_ARGUMENT = 10;
    private static final int TOKEN = PlannedClaims.TOKEN;
    private static final int TIME = 7;
    private static final int RETRY = 13;
    private static final int DEAD_LETTER = 5;
    private static final int ACK = 3;
    private static final int ACK_OF_SOME = 5;
    private static final int EXTEND = 10;

    /** ZCARD and ZCOUNT, in calls that claim or settle while done jobs are kept. */
    private static final int LOOK_AT_DONE = 2;

    private static final int KEEPING = 11;
    /** ZRANGE and ZREMRANGEBYRANK, which drop a batch of done jobs. */
    private static final int DROPS = 2;

    private static final int DROPPED_AT_ONCE = 16;

    private final QueueLoad load;
    private final JobSizes sizes;
    private final WorkerPace pace;
    private final String[] claimKeys;
    private final String[] settleKeys;

    /** How many arguments keep done jobs: 1, or 0 when none are kept. */
    private final int keeping;

    QueueTraffic(QueueLoad load) {
        this.load = load;
        this.sizes = new JobSizes(load);
        this.pace = WorkerPace.of(load, busy());
        boolean keeps = load.keepDone.isAny();
        this.claimKeys = keeps ? load.keys().allAndDone() : load.keys().all();
        this.settleKeys = keeps ? load.keys().allAndDone() : load.keys().allButReady();
        this.keeping = keeps ? 1 : 0;
    }

    private PlannedClaims.Taken busy() {
        int most = load.claimed.orElse(load.concurrency);
        if (load.delay > 0) {
            return PlannedClaims.Taken.fromSet(most, sizes.handedOut());
        }
        return PlannedClaims.Taken.fromList(
                most,
                load.keyed > 0
                        ? PlannedRuns.alone(sizes.record(0))
                        : PlannedRuns.together(load.batch, sizes.record(false, 0)));
    }

    /** The mean number of jobs of a claim. */
    double jobsOfAClaim() {
        return pace.jobsOfAClaim();
    }

    List<QueueCalls> calls() {
        return List.of(enqueue(), claim(), claimInVain(), settle(), extend(), signal());
    }

    private QueueCalls enqueue() {
        double calls = load.enqueued / load.batch;
        double withKeys = load.keyed > 0 ? 1 - Math.pow(1 - load.keyed, load.batch) : 0;
        boolean delays = load.delay > 0;
        double plain = calls * (1 - withKeys);
        double keyed = calls * withKeys;
        double in = keyed
                        * (eachBytes(load.keys().enqueueAny(), delays, withKeys == 0 ? 0 : load.keyed / withKeys)
                                + keepingBytes())
                + plain
                        * (delays
                                ? eachBytes(plainKeys(), true, 0)
                                : runsBytes(PlannedRuns.together(load.batch, sizes.record(false, 0))));
        int each = RespSize.bulk(15 * load.batch);
        double out = keyed * each + plain * (delays ? each : RespSize.bulk(13));
        // ZADD, or RPUSH of heads and of records, which runs read first; HGET and HSET for each key.
        double commands = calls * (BASE + (delays ? 1 : 2)) + (delays ? 0 : plain) + 2 * load.enqueued * load.keyed;
        return new QueueCalls("enqueue", calls, commands, in, out);
    }

    private String[] plainKeys() {
        return load.keys().enqueue(Priority.NORMAL);
    }

    /** A call of enqueue_now in enqueue.lua. */
    private double runsBytes(PlannedRuns runs) {
        String[] keys = plainKeys();
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

    /** A call of enqueue.lua, in which a share of the jobs has keys. */
    private double eachBytes(String[] keys, boolean delays, double keyed) {
        int before = 3 + (delays ? TIME : 0);
        double job = RespSize.bulk(before + sizes.record(false, 0)) * (1 - keyed)
                + RespSize.bulk(before + sizes.record(true, 0)) * keyed;
        return RespSize.evalsha(keys.length, 1 + load.batch) + bulks(keys) + RespSize.bulk(6) + load.batch * job;
    }

    private QueueCalls claim() {
        double claims = pace.claims();
        double commands = claims * (BASE + MAY_WRITE + NOTE_CLAIM + keeping * LOOK_AT_DONE + pace.looksOfAClaim())
                // A job that was retried has an entry of its place, which is removed.
                + load.retried();
        double joined = pace.joinedShare();
        double content = PlannedClaims.Layout.of(load, pace.jobsOfAClaim(), pace.runsOfAClaim())
                .replyBytes();
        double settling = joined * pace.partsOfAClaim();
        double in = claimBytes(settling > 0.5) + settling * settlementBytes();
        double out = 4 + RespSize.bulk(HEAD_OF_CLAIM) + content + joined * pace.jobsOfAClaim() + RespSize.bulk(0);
        return new QueueCalls("claim", claims, commands + joined * settled(), claims * in, claims * out);
    }

    private double claimBytes(boolean settles) {
        return RespSize.evalsha(claimKeys.length, (settles ? 4 : 2) + keeping)
                + bulks(claimKeys)
                + keepingBytes()
                + RespSize.bulk(CLAIM_ARGUMENT)
                + RespSize.bulk(TOKEN);
    }

    private QueueCalls claimInVain() {
        double claims = pace.claimsInVain();
        double out = 4 + RespSize.bulk(HEAD_OF_CLAIM) + RespSize.bulk(0);
        return new QueueCalls(
                "empty claim",
                claims,
                claims * (BASE + MAY_WRITE + keeping * LOOK_AT_DONE + 3 * LOOK),
                claims * claimBytes(false),
                claims * out);
    }

    private QueueCalls settle() {
        double alone = 1 - pace.joinedShare();
        double calls = pace.settling() * alone;
        double in = RespSize.evalsha(settleKeys.length, 2 + keeping)
                + bulks(settleKeys)
                + keepingBytes()
                + settlementBytes();
        double out = RespSize.bulk((int) Math.round(TIME + pace.jobsOfAClaim() / pace.partsOfAClaim()));
        double commands = calls * (BASE + MAY_WRITE + keeping * LOOK_AT_DONE) + alone * settled();
        return new QueueCalls("settle", calls, commands, calls * in, calls * out);
    }

    /** The commands a second that settle, in addition to those of the call. */
    private double settled() {
        double acked = load.acked();
        double reads = pace.settling() * (2 - pace.plainShare());
        // HSET and ZADD of a claim that has unsettled jobs left.
        double changes = 2 * (pace.settling() - pace.claims());
        return reads
                + changes
                + pace.claims() * END_CLAIM
                + 2 * acked * load.keyed
                + keeping * kept(acked)
                + 2 * load.retried()
                + (2 + 2 * load.keyed) * load.died();
    }

    /** The commands a second that keep these done jobs with their places, and drop as many others. */
    private double kept(double acked) {
        double atOnce = Math.min(DROPPED_AT_ONCE, pace.jobsOfAClaim() / pace.partsOfAClaim());
        return 2 * acked + acked * (1 + 2 * load.keyed) + DROPS * acked / atOnce;
    }

    private int keepingBytes() {
        return keeping * RespSize.bulk(KEEPING);
    }

    /** The size of the arguments that settle jobs of one claim: its token, and the actions. */
    private double settlementBytes() {
        double handed = load.handedOut();
        double jobs = pace.jobsOfAClaim() / pace.partsOfAClaim();
        double plain = keeping > 0 ? 0 : (1 - load.failing) * (1 - load.keyed);
        // Plain acknowledgements of consecutive jobs are sent as a range.
        double acks = Math.min(ACK * jobs * plain, ACK_OF_SOME * plain * (1 + jobs * (1 - plain)));
        double others = load.retried() / handed * (RETRY + load.cause)
                + load.died() / handed * (DEAD_LETTER + load.cause)
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
                + keepingBytes()
                + RespSize.bulk(TOKEN)
                + RespSize.bulk((int) Math.round(jobs * EXTEND));
        // HGET, HSET and ZADD of the claim.
        return new QueueCalls(
                "extend",
                calls,
                calls * (BASE + MAY_WRITE + keeping * LOOK_AT_DONE + 3),
                calls * in,
                calls * RespSize.bulk((int) Math.round(TIME + jobs)));
    }

    private QueueCalls signal() {
        double signals = pace.signals();
        int message = 4
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
