package io.headgate.redis.streams;

import io.headgate.queues.internal.Settlement;
import io.headgate.queues.internal.Turn;
import io.headgate.queues.internal.Work;
import io.headgate.queues.internal.WorkSource;
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
record DoneOnce<T>(RedisAsyncConsumerGroup<T> group, WorkSource<T> source) implements WorkSource<T> {

    @Override
    public CompletionStage<Turn<T>> turn(int most, Duration lease, List<Settlement> settling) {
        CompletionStage<Turn<T>> turn = source.turn(most, lease, settling);
        return group.planner().keepsDone() && most > 0
                ? turn.thenCompose(claimed -> withoutDone(most, lease, claimed))
                : turn;
    }

    private CompletionStage<Turn<T>> withoutDone(int most, Duration lease, Turn<T> turn) {
        List<GroupLease<T>> keyed = turn.claimed().stream()
                .map(work -> (GroupLease<T>) work)
                .filter(work -> work.key().isPresent())
                .toList();
        if (keyed.isEmpty()) {
            return CompletableFuture.completedFuture(turn);
        }
        List<String> keys = keyed.stream().flatMap(work -> work.key().stream()).toList();
        return group.areDone(keys)
                .thenCompose(done -> passOver(most, lease, turn, these(keyed, done)))
                .exceptionally(problem -> withoutThese(turn, keyed, problem));
    }

    private static <W> List<W> these(List<W> all, BitSet which) {
        return which.stream().mapToObj(all::get).toList();
    }

    private CompletionStage<Turn<T>> passOver(int most, Duration lease, Turn<T> turn, List<GroupLease<T>> done) {
        if (done.isEmpty()) {
            return CompletableFuture.completedFuture(turn);
        }
        return source.turn(0, lease, done.stream().map(GroupLease::passingOver).toList())
                .thenCompose(acked -> {
                    // Where the acks are lost, these are passed over again.
                    Turn<T> left = without(turn, done);
                    // Who gets nothing takes it that there is nothing.
                    return left.claimed().isEmpty() ? another(most, lease, turn) : completed(left);
                });
    }

    private CompletionStage<Turn<T>> another(int most, Duration lease, Turn<T> first) {
        return turn(most, lease, List.of())
                .thenApply(next -> first.claiming(next.claimed(), next.moreInMicros(), next.trouble()));
    }

    private static <E> CompletionStage<Turn<E>> completed(Turn<E> turn) {
        return CompletableFuture.completedFuture(turn);
    }

    /** Who can't be told whether they are done is not handed out; their leases expire. The rest is in hand and settled. */
    private static <E> Turn<E> withoutThese(Turn<E> turn, List<GroupLease<E>> keyed, Throwable problem) {
        Turn<E> left = without(turn, keyed);
        if (left.claimed().isEmpty() && left.settled().isEmpty()) {
            throw problem instanceof CompletionException known ? known : new CompletionException(problem);
        }
        return left;
    }

    private static <E> Turn<E> without(Turn<E> turn, List<GroupLease<E>> these) {
        List<Work<E>> left = new ArrayList<>(turn.claimed());
        left.removeAll(these);
        return turn.claiming(left, turn.moreInMicros(), Optional.empty());
    }

    @Override
    public Listening listen(Runnable onSignal) {
        return source.listen(onSignal);
    }
}
