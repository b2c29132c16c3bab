package io.headgate.spring.queues.internal;

import io.headgate.queues.Settled;
import io.headgate.queues.worker.PollRequest;
import io.headgate.queues.worker.PollResult;
import io.headgate.queues.worker.Settlement;
import java.time.Duration;

/**
 * The lease of a claimed job, as far as this instance knows: it lasts from the last call that has claimed the job or renewed the lease.
 * Safe for use by several threads.
 */
final class JobLease {

    private volatile long expiresAtNanos;

    /** Creates a lease that begins at this time or later. */
    JobLease(long sentNanos, Duration length) {
        this.expiresAtNanos = sentNanos + length.toNanos();
    }

    /** Whether another instance may have the job. */
    boolean isExpired() {
        return expiresAtNanos - System.nanoTime() <= 0;
    }

    /** Returns a settlement whose result {@link #renewed} records. */
    Settlement renewal(Settlement settlement, Duration length) {
        return new Renewal(this, settlement, length);
    }

    private record Renewal(JobLease lease, Settlement settlement, Duration length) implements Settlement {

        @Override
        public Kind kind() {
            return settlement.kind();
        }

        @Override
        public int weight() {
            return settlement.weight();
        }
    }

    /** Returns the request with the settlements of the source instead of renewals. */
    static PollRequest ofSource(PollRequest request) {
        return new PollRequest(
                request.max(),
                request.lease(),
                request.settlements().stream()
                        .map(one -> one instanceof Renewal renewal ? renewal.settlement() : one)
                        .toList(),
                request.excludedShards(),
                request.excludedTenants());
    }

    /** Records the results of the renewals of a request that was sent at {@code sentNanos}. */
    static void renewed(PollRequest request, PollResult<?> result, long sentNanos) {
        for (int i = 0; i < request.settlements().size(); i++) {
            if (request.settlements().get(i) instanceof Renewal renewal
                    && !result.unsettled().contains(i)) {
                boolean lost = result.settled().get(i) == Settled.LEASE_LOST;
                renewal.lease().expiresAtNanos =
                        lost ? sentNanos : sentNanos + renewal.length().toNanos();
            }
        }
    }
}
