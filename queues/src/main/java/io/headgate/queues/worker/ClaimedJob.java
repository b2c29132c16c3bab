package io.headgate.queues.worker;

import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import java.time.Duration;

/**
 * A job that a worker has claimed under a lease. Its settlements are values, which the worker sends in batches with its polls.
 *
 * @param <T> the type of the payload
 */
public interface ClaimedJob<T> {

    /** Returns the id of the job. */
    JobId id();

    /** Returns the shard of the job; 0 if its source has only one. */
    default int shard() {
        return 0;
    }

    /** Decodes and returns the job. If the codec throws an exception, this method throws it. */
    Job<T> job();

    /** Returns the number of leases of this job that have expired. */
    int crashes();

    /** Returns the settlement that acknowledges the job as done. */
    Settlement ackSettlement();

    /** Returns the settlement that hands the job back. It is due after the delay; the delivery does not count as an attempt. */
    Settlement handBackSettlement(Duration delay);

    /** Returns the settlement of a failed attempt. The next attempt is due after the delay. */
    Settlement retrySettlement(Duration delay, String cause);

    /** Returns the settlement that moves the job to the dead letters. */
    Settlement deadLetterSettlement(String cause);

    /** Returns the settlement that extends the lease. It then expires after this time from now. */
    Settlement extendSettlement(Duration lease);
}
