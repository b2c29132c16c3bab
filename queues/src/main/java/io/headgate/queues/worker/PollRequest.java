package io.headgate.queues.worker;

import io.headgate.queues.internal.JobBounds;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * One poll of a worker.
 *
 * @param max how many jobs to claim at most: 0 to 500; 0 to claim none
 * @param lease how long to lease each claimed job: 10 ms to 1 day
 * @param settlements the settlements of jobs that were claimed from the same source, in the order in which the jobs finished
 * @param excludedShards shards from which nothing is claimed, because they failed in an earlier poll
 */
public record PollRequest(int max, Duration lease, List<Settlement> settlements, Set<Integer> excludedShards) {

    /** Checks the ranges. */
    public PollRequest {
        JobBounds.inRange("max", max, 0, JobBounds.MAX_BATCH);
        JobBounds.lease(lease);
        settlements = List.copyOf(settlements);
        excludedShards = Set.copyOf(excludedShards);
    }

    /** Creates a poll that excludes no shard. */
    public PollRequest(int max, Duration lease, List<Settlement> settlements) {
        this(max, lease, settlements, Set.of());
    }

    /** Returns the same request with another bound of claimed jobs. */
    public PollRequest withMax(int jobs) {
        return new PollRequest(jobs, lease, settlements, excludedShards);
    }
}
