package io.headgate.queues.worker;

import io.headgate.queues.internal.JobBounds;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * The request of one poll: the settlements to process, and the jobs to claim. A consumer group ignores excluded shards and tenants,
 * because it has none.
 *
 * @param max how many jobs to claim at most: 0 to 500; 0 to claim none
 * @param lease how long to lease each claimed job: 10 ms to 1 day
 * @param settlements the settlements of jobs that were claimed from the same source; a worker sends renewals of leases first, then
 *     settlements that an earlier poll did not process, then new ones in the order in which their jobs finished
 * @param excludedShards shards from which no job is claimed, because they failed in an earlier poll
 * @param excludedTenants tenants whose jobs are not claimed: 0 to 500 names; the empty name stands for jobs without a tenant. {@link
 *     PollResult#moreInMicros()} ignores their jobs that are already due, but may include those that become due later, so the poll at
 *     that time may claim nothing
 */
public record PollRequest(
        int max,
        Duration lease,
        List<Settlement> settlements,
        Set<Integer> excludedShards,
        Set<String> excludedTenants) {

    /** Checks the ranges. */
    public PollRequest {
        JobBounds.inRange("max", max, 0, JobBounds.MAX_BATCH);
        JobBounds.lease(lease);
        settlements = List.copyOf(settlements);
        excludedShards = Set.copyOf(excludedShards);
        excludedTenants = Set.copyOf(excludedTenants);
        JobBounds.inRange("number of excluded tenants", excludedTenants.size(), 0, JobBounds.MAX_EXCLUDED_TENANTS);
        excludedTenants.stream().filter(name -> !name.isEmpty()).forEach(name -> JobBounds.name("tenant", name));
    }

    /** Creates a poll that excludes no tenant. */
    public PollRequest(int max, Duration lease, List<Settlement> settlements, Set<Integer> excludedShards) {
        this(max, lease, settlements, excludedShards, Set.of());
    }

    /** Creates a poll that excludes no shard and no tenant. */
    public PollRequest(int max, Duration lease, List<Settlement> settlements) {
        this(max, lease, settlements, Set.of(), Set.of());
    }

    /** Returns the same request with another bound of claimed jobs. */
    public PollRequest withMax(int jobs) {
        return new PollRequest(jobs, lease, settlements, excludedShards, excludedTenants);
    }

    /** Returns the same request with these excluded tenants. */
    public PollRequest withExcludedTenants(Set<String> tenants) {
        return new PollRequest(max, lease, settlements, excludedShards, tenants);
    }
}
