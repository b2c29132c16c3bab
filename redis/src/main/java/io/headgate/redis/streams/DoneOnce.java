package io.headgate.redis.streams;

import io.headgate.queues.internal.ClaimedJob;
import io.headgate.queues.internal.JobSource;
import io.headgate.queues.internal.PollResult;
import io.headgate.queues.internal.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * Passes over entries of which another of the same key is done: acks them instead of handing them out. Where a group keeps no
 * keys, or no entry has one, nothing is asked.
 */
record DoneOnce<T>(RedisAsyncConsumerGroup<T> group, JobSource<T> source) implements JobSource<T> {

    @Override
    public CompletionStage<PollResult<T>> poll(int most, Duration lease, List<Settlement> settling) {
        CompletionStage<PollResult<T>> result = source.poll(most, lease, settling);
        return group.planner().keepsDone() && most > 0
                ? result.thenCompose(claimed -> withoutDone(most, lease, claimed))
                : result;
    }

    private CompletionStage<PollResult<T>> withoutDone(int most, Duration lease, PollResult<T> result) {
        List<GroupLease<T>> keyed = result.claimed().stream()
                .map(work -> (GroupLease<T>) work)
                .filter(work -> work.key().isPresent())
                .toList();
        if (keyed.isEmpty()) {
            return CompletableFuture.completedFuture(result);
        }
        List<String> keys = keyed.stream().flatMap(work -> work.key().stream()).toList();
        return group.areDone(keys)
                .thenCompose(done -> passOver(most, lease, result, these(keyed, done)))
                .exceptionally(problem -> withoutThese(result, keyed, problem));
    }

    private static <W> List<W> these(List<W> all, BitSet which) {
        return which.stream().mapToObj(all::get).toList();
    }

    private CompletionStage<PollResult<T>> passOver(
            int most, Duration lease, PollResult<T> result, List<GroupLease<T>> done) {
        if (done.isEmpty()) {
            return CompletableFuture.completedFuture(result);
        }
        return source.poll(
                        0,
                        lease,
                        done.stream().map(GroupLease::duplicateSettlement).toList())
                .thenCompose(acked -> {
                    // Where the acks are lost, these are passed over again.
                    PollResult<T> left = without(result, done);
                    // Who gets nothing takes it that there is nothing.
                    return left.claimed().isEmpty() ? another(most, lease, result) : completed(left);
                });
    }

    private CompletionStage<PollResult<T>> another(int most, Duration lease, PollResult<T> first) {
        return poll(most, lease, List.of())
                .thenApply(next -> first.withClaim(next.claimed(), next.moreInMicros(), next.failure()));
    }

    private static <E> CompletionStage<PollResult<E>> completed(PollResult<E> result) {
        return CompletableFuture.completedFuture(result);
    }

    /** Who can't be told whether they are done is not handed out; their leases expire. The rest is in hand and settled. */
    private static <E> PollResult<E> withoutThese(PollResult<E> result, List<GroupLease<E>> keyed, Throwable problem) {
        PollResult<E> left = without(result, keyed);
        if (left.claimed().isEmpty() && left.settled().isEmpty()) {
            throw problem instanceof CompletionException known ? known : new CompletionException(problem);
        }
        return left;
    }

    private static <E> PollResult<E> without(PollResult<E> result, List<GroupLease<E>> these) {
        List<ClaimedJob<E>> left = new ArrayList<>(result.claimed());
        left.removeAll(these);
        return result.withClaim(left, result.moreInMicros(), Optional.empty());
    }

    @Override
    public Subscription subscribe(Runnable onSignal) {
        return source.subscribe(onSignal);
    }
}
