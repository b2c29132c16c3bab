package io.headgate.queues.worker;

import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import java.time.Duration;

/**
 * A job under a lease, as a worker sees it. Its settlements are values: the worker sends many of them with its next poll.
 *
 * @param <T> the type of the payload
 */
public interface ClaimedJob<T> {

    /** The id. */
    JobId id();

    /** The shard of the job; 0 when its source has only one. */
    default int shard() {
        return 0;
    }

    /** Decodes the job; throws what the codec throws. */
    Job<T> job();

    /** How many of its leases have expired. */
    int crashes();

    /** The settlement of a job that is done. */
    Settlement ackSettlement();

    /** The settlement of a job that waits for the delay; the delivery does not count as an attempt. */
    Settlement handBackSettlement(Duration delay);

    /** The settlement of a failed attempt; the job waits for the delay. */
    Settlement retrySettlement(Duration delay, String cause);

    /** The settlement of a job that becomes a dead letter. */
    Settlement deadLetterSettlement(String cause);

    /** The settlement that makes the lease end after this time from now. */
    Settlement extendSettlement(Duration lease);
}
