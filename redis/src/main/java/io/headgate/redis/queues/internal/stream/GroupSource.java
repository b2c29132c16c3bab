package io.headgate.redis.queues.internal.stream;

import io.headgate.queues.Codec;
import io.headgate.queues.QueueException;
import io.headgate.queues.Settled;
import io.headgate.queues.internal.QueueExceptions;
import io.headgate.queues.worker.ClaimedJob;
import io.headgate.queues.worker.JobSource;
import io.headgate.queues.worker.PollRequest;
import io.headgate.queues.worker.PollResult;
import io.headgate.queues.worker.Settlement;
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
 * A group as a source of jobs: its stream, and its retry queue. Usually, a poll is one call to the stream. While there are entries to
 * retry, a call to the retry queue may precede it, which settles retried entries, and another may follow, which claims due retries.
 */
final class GroupSource<T> implements JobSource<T> {

    private final GroupCalls group;
    private final Codec<T> codec;
    private final JobSource<byte[]> retries;

    GroupSource(GroupCalls group, Codec<T> codec, JobSource<byte[]> retries) {
        this.group = group;
        this.codec = codec;
        this.retries = retries;
    }

    @Override
    public String name() {
        return "group " + group.settings().name();
    }

    @Override
    public CompletionStage<PollResult<T>> poll(PollRequest request) {
        List<Settlement> settlements = request.settlements();
        Duration lease = request.lease();
        List<EntrySettlement> ofStream = new ArrayList<>(settlements.size());
        List<Settlement> ofRetries = new ArrayList<>();
        List<String> doneKeys = new ArrayList<>();
        for (Settlement one : settlements) {
            if (one instanceof RetryLease.RetrySettlement retry) {
                ofRetries.add(retry.ofJob());
                retry.doneKey().ifPresent(doneKeys::add);
            } else if (one instanceof EntrySettlement entry) {
                ofStream.add(entry);
            } else {
                throw new IllegalArgumentException(
                        "a settlement of another source can't be sent to " + name() + ": " + one);
            }
        }
        // Keys are stored before acknowledgements: if an entry is delivered again in between, it is skipped as done.
        return group.keepDone(doneKeys)
                .thenCompose(kept -> settleRetries(lease, ofRetries))
                .thenCompose(retried -> pollStream(request.max(), lease, ofStream)
                        .thenApply(streamed -> inCallersOrder(settlements, streamed, retried)));
    }

    private CompletionStage<PollResult<byte[]>> settleRetries(Duration lease, List<Settlement> settlements) {
        return settlements.isEmpty()
                ? CompletableFuture.completedFuture(PollResult.empty())
                : retries.poll(new PollRequest(0, lease, settlements));
    }

    private CompletionStage<PollResult<T>> pollStream(int max, Duration lease, List<EntrySettlement> settlements) {
        if (max > 0 && (settlements.isEmpty() || !group.isDurable())) {
            return group.claim(max, lease, settlements).thenCompose(claim -> withRetries(claim, lease));
        }
        // Confirmed writes go over another connection than claims.
        CompletionStage<PollResult<T>> settled = settlements.isEmpty()
                ? CompletableFuture.completedFuture(PollResult.empty())
                : group.settle(settlements)
                        .thenApply(written ->
                                new PollResult<>(List.of(), 0, written.reply().each(), written.unconfirmed()));
        return max == 0 ? settled : settled.thenCompose(result -> withClaim(result, max, lease));
    }

    private CompletionStage<PollResult<T>> withClaim(PollResult<T> settled, int max, Duration lease) {
        return pollStream(max, lease, List.of())
                .handle((claimed, problem) -> claimed != null
                        ? settled.withClaim(claimed.claimed(), claimed.moreInMicros(), claimed.failure())
                        // The settlements are reported even if the claim fails.
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
        return retries.poll(new PollRequest(claim.retriesDue(), lease, List.of()))
                .handle((retried, problem) -> {
                    if (retried != null) {
                        all.addAll(
                                0,
                                retried.claimed().stream()
                                        .map(claimed -> RetryLease.of(group, codec, claimed))
                                        .toList());
                    } else if (all.isEmpty() && claim.settled().isEmpty()) {
                        throw problem instanceof CompletionException known ? known : new CompletionException(problem);
                    }
                    // Otherwise the entries from the stream are returned even if the retry queue fails.
                    return result;
                });
    }

    private static <T> PollResult<T> inCallersOrder(
            List<Settlement> settlements, PollResult<T> ofStream, PollResult<?> ofRetries) {
        if (ofRetries.settled().isEmpty()) {
            return ofStream;
        }
        List<Settled> settled = new ArrayList<>(settlements.size());
        Map<Integer, QueueException> unconfirmed = new HashMap<>();
        int nextOfStream = 0;
        int nextOfRetries = 0;
        for (Settlement one : settlements) {
            boolean isRetry = one instanceof RetryLease.RetrySettlement;
            PollResult<?> result = isRetry ? ofRetries : ofStream;
            int index = isRetry ? nextOfRetries++ : nextOfStream++;
            QueueException reason = result.unconfirmed().get(index);
            if (reason != null) {
                unconfirmed.put(settled.size(), reason);
            }
            settled.add(result.settled().get(index));
        }
        return new PollResult<>(
                ofStream.claimed(),
                ofStream.moreInMicros(),
                settled,
                unconfirmed,
                ofRetries.failure().or(ofStream::failure),
                Set.of(),
                Set.of());
    }

    @Override
    public Subscription subscribe(Runnable onSignal) {
        Subscription onEntries = group.subscribe(onSignal);
        Subscription onRetries = retries.subscribe(onSignal);
        return () -> {
            onEntries.close();
            onRetries.close();
        };
    }
}
