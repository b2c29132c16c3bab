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
 * The settlements that a worker sends with its next polls, in the order in which its jobs finished. If a shard fails to process a
 * settlement, or is in its backoff, the settlement is retained, and a later poll sends it before new ones. Not safe for use by several
 * threads: the worker's lock guards it.
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
     * The outcome of a job: its settlement, and the event that listeners receive when the settlement is processed.
     *
     * @param settlement the settlement to send to the source
     * @param job the job; empty if listeners receive only its id
     * @param event notifies a listener
     * @param requiresConfirmation whether the event is published only if the settlement is confirmed as the durability requires
     * @param log logs the failure; runs only if this outcome settles the job
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
     * A settlement that has not been processed yet, and its job.
     *
     * @param outcome the outcome of the job; null if the settlement extends its lease
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

    /** Whether all pending settlements are retained ones of these shards. */
    boolean isEmptyExcept(Set<Integer> shards) {
        return queue.isEmpty() && retained.stream().allMatch(pending -> shards.contains(pending.shard()));
    }

    /**
     * Takes as many settlements as the next poll can send, including extensions of leases that are due for renewal.
     *
     * @param excludedShards shards to which nothing is sent
     */
    List<PendingSettlement<T>> take(InFlightJobs<T> jobs, Set<Integer> excludedShards, long nowNanos) {
        List<PendingSettlement<T>> taken = new ArrayList<>();
        // Extensions come first, but take at most half of the call, so that neither kind starves the other.
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

    /** Returns these shards, and the shards for which settlements are retained. */
    Set<Integer> withRetainedShards(Set<Integer> shards) {
        if (retained.isEmpty()) {
            return shards;
        }
        Set<Integer> all = new HashSet<>(shards);
        retained.forEach(pending -> all.add(pending.shard()));
        return all;
    }

    /** Retains settlements that were not processed, except extensions, which are created again when they are due. */
    void retain(List<PendingSettlement<T>> unsettled) {
        unsettled.stream().filter(pending -> pending.outcome() != null).forEach(retained::add);
    }
}
