package io.headgate.redis.queues.internal.job;

import io.headgate.queues.QueueListener.ClaimedJobs;
import io.headgate.queues.Settled;
import io.headgate.redis.internal.script.Packed;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * The reply of claim.lua.
 *
 * @param nowMicros Redis's time
 * @param moreAtMicros the earliest time at which more jobs may be due; a job that is enqueued after this claim may be due earlier
 * @param paused whether the queue is paused
 * @param expiresAtMicros when the leases expire
 * @param deadLettered how many jobs became dead letters, because too many of their leases expired
 * @param token the token of the claim, which identifies its leases
 * @param jobs the records of the jobs
 * @param settled the results of the settlements, in the caller's order
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record ClaimReply(
        long nowMicros,
        long moreAtMicros,
        boolean paused,
        long expiresAtMicros,
        int deadLettered,
        byte[] token,
        List<JobRecord> jobs,
        List<Settled> settled) {

    private static final int HEADER_BYTES = 18;

    public static ClaimReply of(byte[] reply, byte[] token, long leaseMicros, JobSettlements settlements) {
        long now = Packed.number(reply, 0, 7);
        int count = (int) Packed.number(reply, 15, 2);
        List<JobRecord> jobs = JobRecord.some(reply, HEADER_BYTES, count);
        int at = count == 0 ? HEADER_BYTES : jobs.get(count - 1).end();
        return new ClaimReply(
                now,
                Packed.number(reply, 7, 7),
                reply[14] != 0,
                now + leaseMicros,
                reply[17] & 0xff,
                token,
                jobs,
                settlements.settled(reply, at));
    }

    /** The counts for listeners. */
    public ClaimedJobs counts() {
        int crashed = 0;
        long latest = 0;
        for (JobRecord job : jobs) {
            crashed += job.crashes() > 0 ? 1 : 0;
            latest = Math.max(latest, nowMicros - job.dueMicros());
        }
        return new ClaimedJobs(jobs.size(), crashed, deadLettered, Duration.of(latest, ChronoUnit.MICROS));
    }
}
