package io.headgate.redis.streams;

import io.headgate.queues.Codec;
import io.headgate.queues.QueueException;
import io.headgate.queues.Settled;
import io.headgate.queues.internal.ClaimedJob;
import io.headgate.queues.internal.JobSource;
import io.headgate.queues.internal.PollResult;
import io.headgate.queues.internal.QueueExceptions;
import io.headgate.queues.internal.Settlement;
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
final class GroupWork<T> implements JobSource<T> {

    private final RedisAsyncConsumerGroup<T> group;
    private final Codec<T> codec;
    private final JobSource<byte[]> retries;

    GroupWork(RedisAsyncConsumerGroup<T> group, Codec<T> codec, JobSource<byte[]> retries) {
        this.group = group;
        this.codec = codec;
        this.retries = retries;
    }

    @Override
    public CompletionStage<PollResult<T>> poll(int most, Duration lease, List<Settlement> settling) {
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

    private CompletionStage<PollResult<byte[]>> settledInQueue(Duration lease, List<Settlement> settling) {
        return settling.isEmpty()
                ? CompletableFuture.completedFuture(new PollResult<>(List.of(), 0, List.of()))
                : retries.poll(0, lease, settling);
    }

    private CompletionStage<PollResult<T>> inStream(int most, Duration lease, List<EntrySettlement> settling) {
        if (most > 0 && (settling.isEmpty() || !group.isDurable())) {
            return group.claimed(most, lease, settling).thenCompose(claim -> withRetries(claim, lease));
        }
        // What is to be confirmed goes over another connection than claims.
        CompletionStage<PollResult<T>> settled = settling.isEmpty()
                ? CompletableFuture.completedFuture(new PollResult<>(List.of(), 0, List.of()))
                : group.settle(settling)
                        .thenApply(written ->
                                new PollResult<>(List.of(), 0, written.reply().each(), written.unconfirmed()));
        return most == 0 ? settled : settled.thenCompose(result -> claimedBehind(result, most, lease));
    }

    private CompletionStage<PollResult<T>> claimedBehind(PollResult<T> settled, int most, Duration lease) {
        return inStream(most, lease, List.of())
                .handle((claimed, problem) -> claimed != null
                        ? settled.withClaim(claimed.claimed(), claimed.moreInMicros(), claimed.failure())
                        // What was settled is, whatever became of the claim.
                        : settled.withClaim(List.of(), 0, Optional.of(QueueExceptions.of(problem))));
    }

    private CompletionStage<PollResult<T>> withRetries(GroupClaim claim, Duration lease) {
        List<ClaimedJob<T>> all = new ArrayList<>(claim.entries().size());
        claim.entries().forEach(entry -> all.add(new EntryLease<>(group, codec, entry, claim.expiresAt())));
        PollResult<T> result =
                new PollResult<>(all, Math.max(0, claim.moreAtMicros() - claim.nowMicros()), claim.settled());
        if (claim.retriesDue() == 0) {
            return CompletableFuture.completedFuture(result);
        }
        return retries.poll(claim.retriesDue(), lease, List.of()).handle((again, problem) -> {
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
            return result;
        });
    }

    private static <T> PollResult<T> inOrder(List<Settlement> settling, PollResult<T> ofStream, PollResult<?> ofQueue) {
        if (ofQueue.settled().isEmpty()) {
            return ofStream;
        }
        List<Settled> settled = new ArrayList<>(settling.size());
        Map<Integer, QueueException> unconfirmed = new HashMap<>();
        int ofStreamSoFar = 0;
        int ofQueueSoFar = 0;
        for (Settlement one : settling) {
            boolean isOfQueue = one instanceof RetryLease.Said;
            PollResult<?> result = isOfQueue ? ofQueue : ofStream;
            int place = isOfQueue ? ofQueueSoFar++ : ofStreamSoFar++;
            QueueException doubt = result.unconfirmed().get(place);
            if (doubt != null) {
                unconfirmed.put(settled.size(), doubt);
            }
            settled.add(result.settled().get(place));
        }
        return new PollResult<>(
                ofStream.claimed(),
                ofStream.moreInMicros(),
                settled,
                unconfirmed,
                ofQueue.failure().or(ofStream::failure),
                Set.of(),
                Set.of());
    }

    @Override
    public Subscription subscribe(Runnable onSignal) {
        Subscription onEntries = group.planner().subscribe(onSignal);
        Subscription onRetries = retries.subscribe(onSignal);
        return () -> {
            onEntries.close();
            onRetries.close();
        };
    }
}
