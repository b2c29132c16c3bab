package io.headgate.queues.internal.worker;

import io.headgate.queues.Job;
import io.headgate.queues.internal.JobBounds;
import io.headgate.queues.internal.worker.InFlightJobs.InFlightJob;
import io.headgate.queues.worker.ClaimedJob;
import io.headgate.queues.worker.Settlement;
import io.headgate.queues.worker.WorkerListener;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The settlements that a worker has yet to send, in the order in which its jobs finished. Those that a shard failed to process, or
 * that wait for the end of its backoff, are retained and sent before new ones. Not safe for use by several threads: the worker's lock
 * guards it.
 *
 * @param <T> the type of the payload
 */
final class PendingSettlements<T> {

    private final Duration lease;
    private final Deque<PendingSettlement<T>> queue = new ArrayDeque<>();
    private final List<PendingSettlement<T>> retained = new ArrayList<>();

    PendingSettlements(Duration lease) {
        this.lease = lease;
    }

    /**
     * The outcome of a job: its settlement, and the event that listeners receive when that is processed.
     *
     * @param settlement what the engine does with the job
     * @param job the job; empty when listeners know only its id
     * @param event notifies a listener
     * @param requiresConfirmation whether the event is published only when the settlement is as durable as requested
     * @param log logs the failure; runs only when the worker still has the job, and so settles it
     */
    record Outcome(
            Settlement settlement,
            Optional<Job<?>> job,
            Consumer<WorkerListener> event,
            boolean requiresConfirmation,
            Runnable log) {

        /** The outcome of a job that is handed back without being handled. */
        static Outcome handedBack(ClaimedJob<?> job) {
            return new Outcome(
                    job.handBackSettlement(Duration.ZERO),
                    Optional.empty(),
                    listener -> listener.onHandedBack(job.id()),
                    false,
                    () -> {});
        }
    }

    /**
     * A settlement of a job.
     *
     * @param outcome the outcome of the job; null when the settlement extends its lease
     */
    record PendingSettlement<T>(
            InFlightJob<T> job,
            Settlement settlement,
            @Nullable Outcome outcome) {

        int shard() {
            return job.claimed().shard();
        }
    }

    void add(InFlightJob<T> job, Outcome outcome) {
        queue.add(new PendingSettlement<>(job, outcome.settlement(), outcome));
    }

    boolean isEmpty() {
        return queue.isEmpty() && retained.isEmpty();
    }

    /** Whether every pending settlement is retained for one of these shards. */
    boolean isEmptyExcept(Set<Integer> shards) {
        return queue.isEmpty() && retained.stream().allMatch(pending -> shards.contains(pending.shard()));
    }

    /**
     * Takes the settlements of the next poll, as many as one call carries, and adds the extensions of leases that are due for renewal.
     *
     * @param excludedShards shards to which nothing is sent
     */
    List<PendingSettlement<T>> take(InFlightJobs<T> jobs, Set<Integer> excludedShards, long nowNanos) {
        List<PendingSettlement<T>> taken = new ArrayList<>();
        // Extensions first, but at most half of the call: neither kind may starve the other.
        for (InFlightJob<T> job : jobs.dueForRenewal(nowNanos, JobBounds.MAX_BATCH / 2, excludedShards)) {
            taken.add(new PendingSettlement<>(job, job.claimed().extendSettlement(lease), null));
        }
        int weight = taken.size();
        for (Iterator<PendingSettlement<T>> each = retained.iterator();
                each.hasNext() && weight < JobBounds.MAX_BATCH; ) {
            PendingSettlement<T> next = each.next();
            if (!excludedShards.contains(next.shard())) {
                each.remove();
                weight += next.settlement.weight();
                taken.add(next);
            }
        }
        while (!queue.isEmpty() && weight < JobBounds.MAX_BATCH) {
            PendingSettlement<T> next = queue.remove();
            if (excludedShards.contains(next.shard())) {
                retained.add(next);
            } else {
                weight += next.settlement.weight();
                taken.add(next);
            }
        }
        return taken;
    }

    /** Returns these shards, and those that settlements are retained for. */
    Set<Integer> withRetainedShards(Set<Integer> shards) {
        if (retained.isEmpty()) {
            return shards;
        }
        Set<Integer> all = new HashSet<>(shards);
        retained.forEach(pending -> all.add(pending.shard()));
        return all;
    }

    /** Retains settlements that were not processed, except extensions, which are made again when they are due. */
    void retain(List<PendingSettlement<T>> unsettled) {
        unsettled.stream().filter(pending -> pending.outcome() != null).forEach(retained::add);
    }
}
