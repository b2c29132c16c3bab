package io.headgate.redis.queues.internal.stream;

import io.headgate.queues.worker.ClaimedJob;
import io.headgate.queues.worker.JobSource;
import io.headgate.queues.worker.PollRequest;
import io.headgate.queues.worker.PollResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * A source that skips duplicates. It acknowledges a claimed entry instead of returning it, if another entry with its key is done.
 * It sends no further call when the group keeps no keys, or when no claimed entry has a key.
 */
record DuplicateFilter<T>(GroupCalls group, JobSource<T> source) implements JobSource<T> {

    @Override
    public String name() {
        return source.name();
    }

    @Override
    public CompletionStage<PollResult<T>> poll(PollRequest request) {
        CompletionStage<PollResult<T>> polled = source.poll(request);
        return group.planner().keepsDone() && request.max() > 0
                ? polled.thenCompose(result -> withoutDuplicates(request.max(), request.lease(), result))
                : polled;
    }

    private CompletionStage<PollResult<T>> withoutDuplicates(int max, Duration lease, PollResult<T> result) {
        List<GroupLease<T>> keyed = result.claimed().stream()
                .map(claimed -> (GroupLease<T>) claimed)
                .filter(claimed -> claimed.key().isPresent())
                .toList();
        if (keyed.isEmpty()) {
            return CompletableFuture.completedFuture(result);
        }
        List<String> keys =
                keyed.stream().flatMap(claimed -> claimed.key().stream()).toList();
        return group.areDone(keys)
                .thenCompose(done -> skip(max, lease, result, selected(keyed, done)))
                .exceptionally(problem -> withoutUndecided(result, keyed, problem));
    }

    private static <W> List<W> selected(List<W> all, BitSet indexes) {
        return indexes.stream().mapToObj(all::get).toList();
    }

    private CompletionStage<PollResult<T>> skip(
            int max, Duration lease, PollResult<T> result, List<GroupLease<T>> duplicates) {
        if (duplicates.isEmpty()) {
            return CompletableFuture.completedFuture(result);
        }
        return source.poll(new PollRequest(
                        0,
                        lease,
                        duplicates.stream().map(GroupLease::duplicateSettlement).toList()))
                .thenCompose(acked -> {
                    // If the acknowledgements are lost, the duplicates are delivered again, and skipped again.
                    PollResult<T> rest = without(result, duplicates);
                    // An empty result would mean that the stream has no more entries.
                    return rest.claimed().isEmpty() ? pollAgain(max, lease, result) : completed(rest);
                });
    }

    private CompletionStage<PollResult<T>> pollAgain(int max, Duration lease, PollResult<T> first) {
        return poll(new PollRequest(max, lease, List.of()))
                .thenApply(next -> first.withClaim(next.claimed(), next.moreInMicros(), next.failure()));
    }

    private static <E> CompletionStage<PollResult<E>> completed(PollResult<E> result) {
        return CompletableFuture.completedFuture(result);
    }

    /**
     * Returns the result without the entries that have keys, because a call failed that looks up the keys, acknowledges duplicates, or
     * claims further entries. The leases of the omitted entries expire.
     */
    private static <E> PollResult<E> withoutUndecided(
            PollResult<E> result, List<GroupLease<E>> keyed, Throwable problem) {
        PollResult<E> rest = without(result, keyed);
        if (rest.claimed().isEmpty() && rest.settled().isEmpty()) {
            throw problem instanceof CompletionException known ? known : new CompletionException(problem);
        }
        return rest;
    }

    private static <E> PollResult<E> without(PollResult<E> result, List<GroupLease<E>> dropped) {
        List<ClaimedJob<E>> rest = new ArrayList<>(result.claimed());
        rest.removeAll(dropped);
        return result.withClaim(rest, result.moreInMicros(), Optional.empty());
    }

    @Override
    public Subscription subscribe(Runnable onSignal) {
        return source.subscribe(onSignal);
    }
}
