package io.headgate.redis.streams;

import io.headgate.queues.Codec;
import io.headgate.queues.QueueException;
import io.headgate.queues.Settled;
import io.headgate.queues.internal.QueueTroubles;
import io.headgate.queues.internal.Settlement;
import io.headgate.queues.internal.Turn;
import io.headgate.queues.internal.Work;
import io.headgate.queues.internal.WorkSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * A group as a worker sees it. A turn is one call to the stream; only while there is something to be tried again, one before
 * it to settle in the group's queue, and one after it to claim there.
 */
final class GroupWork<T> implements WorkSource<T> {

    private final RedisAsyncConsumerGroup<T> group;
    private final Codec<T> codec;
    private final WorkSource<byte[]> retries;

    GroupWork(RedisAsyncConsumerGroup<T> group, Codec<T> codec, WorkSource<byte[]> retries) {
        this.group = group;
        this.codec = codec;
        this.retries = retries;
    }

    @Override
    public CompletionStage<Turn<T>> turn(int most, Duration lease, List<Settlement> settling) {
        List<EntrySettlement> inStream = new ArrayList<>(settling.size());
        List<Settlement> inQueue = new ArrayList<>();
        List<String> done = new ArrayList<>();
        for (Settlement one : settling) {
            if (one instanceof RetryLease.Said said) {
                inQueue.add(said.inQueue());
                said.done().ifPresent(done::add);
            } else {
                inStream.add((EntrySettlement) one);
            }
        }
        // Keys before acks: what is handed out again between the two is done, and then known to be.
        return group.keepDone(done)
                .thenCompose(kept -> settledInQueue(lease, inQueue))
                .thenCompose(ofQueue ->
                        inStream(most, lease, inStream).thenApply(ofStream -> inOrder(settling, ofStream, ofQueue)));
    }

    private CompletionStage<Turn<byte[]>> settledInQueue(Duration lease, List<Settlement> settling) {
        return settling.isEmpty()
                ? CompletableFuture.completedFuture(new Turn<>(List.of(), 0, List.of()))
                : retries.turn(0, lease, settling);
    }

    private CompletionStage<Turn<T>> inStream(int most, Duration lease, List<EntrySettlement> settling) {
        if (most > 0 && (settling.isEmpty() || !group.isDurable())) {
            return group.claimed(most, lease, settling).thenCompose(claim -> withRetries(claim, lease));
        }
        // What is to be confirmed goes over another connection than claims.
        CompletionStage<Turn<T>> settled = settling.isEmpty()
                ? CompletableFuture.completedFuture(new Turn<>(List.of(), 0, List.of()))
                : group.settle(settling)
                        .thenApply(written ->
                                new Turn<>(List.of(), 0, written.reply().each(), written.unconfirmed()));
        return most == 0 ? settled : settled.thenCompose(turn -> claimedBehind(turn, most, lease));
    }

    private CompletionStage<Turn<T>> claimedBehind(Turn<T> settled, int most, Duration lease) {
        return inStream(most, lease, List.of())
                .handle((claimed, problem) -> claimed != null
                        ? settled.claiming(claimed.claimed(), claimed.moreInMicros(), claimed.trouble())
                        // What was settled is, whatever became of the claim.
                        : settled.claiming(List.of(), 0, Optional.of(QueueTroubles.of(problem))));
    }

    private CompletionStage<Turn<T>> withRetries(GroupClaim claim, Duration lease) {
        List<Work<T>> all = new ArrayList<>(claim.entries().size());
        claim.entries().forEach(entry -> all.add(new EntryLease<>(group, codec, entry, claim.expiresAt())));
        Turn<T> turn = new Turn<>(all, Math.max(0, claim.moreAtMicros() - claim.nowMicros()), claim.settled());
        if (claim.retriesDue() == 0) {
            return CompletableFuture.completedFuture(turn);
        }
        return retries.turn(claim.retriesDue(), lease, List.of()).handle((again, problem) -> {
            if (again != null) {
                all.addAll(
                        0,
                        again.claimed().stream()
                                .map(work -> RetryLease.of(group, codec, work))
                                .toList());
            } else if (all.isEmpty() && claim.settled().isEmpty()) {
                throw problem instanceof CompletionException known ? known : new CompletionException(problem);
            }
            // Else what the first call brought is in hand and settled, whatever became of the second.
            return turn;
        });
    }

    private static <T> Turn<T> inOrder(List<Settlement> settling, Turn<T> ofStream, Turn<?> ofQueue) {
        if (ofQueue.settled().isEmpty()) {
            return ofStream;
        }
        List<Settled> settled = new ArrayList<>(settling.size());
        Map<Integer, QueueException> unconfirmed = new HashMap<>();
        int ofStreamSoFar = 0;
        int ofQueueSoFar = 0;
        for (Settlement one : settling) {
            boolean isOfQueue = one instanceof RetryLease.Said;
            Turn<?> turn = isOfQueue ? ofQueue : ofStream;
            int place = isOfQueue ? ofQueueSoFar++ : ofStreamSoFar++;
            QueueException doubt = turn.unconfirmed().get(place);
            if (doubt != null) {
                unconfirmed.put(settled.size(), doubt);
            }
            settled.add(turn.settled().get(place));
        }
        return new Turn<>(
                ofStream.claimed(),
                ofStream.moreInMicros(),
                settled,
                unconfirmed,
                ofQueue.trouble().or(ofStream::trouble),
                Set.of(),
                Set.of());
    }

    @Override
    public Listening listen(Runnable onSignal) {
        Listening onEntries = group.planner().listen(onSignal);
        Listening onRetries = retries.listen(onSignal);
        return () -> {
            onEntries.close();
            onRetries.close();
        };
    }
}
