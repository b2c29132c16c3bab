package io.headgate.queues.inspect;

import java.time.Duration;
import java.util.Optional;

/**
 * The number of jobs in each state. A queue of one shard without tenants is counted at one instant; other queues by several calls.
 *
 * @param ready jobs that are due and wait for a claim
 * @param delayed jobs that wait for their due time
 * @param leased jobs that are claimed and not settled, including jobs whose lease has expired, until a claim finds them
 * @param dead dead letters
 * @param done done jobs that are kept
 * @param paused whether the delivery of jobs is paused
 * @param oldestDue how long the oldest ready job has been due; empty if none is ready, or if very many cancelled jobs precede the oldest
 */
public record QueueCounts(
        long ready, long delayed, long leased, long dead, long done, boolean paused, Optional<Duration> oldestDue) {}
