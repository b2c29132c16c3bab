package io.headgate.spring.queues.internal.deadletters;

import io.headgate.queues.QueueException;
import io.headgate.queues.Settled;
import io.headgate.queues.worker.ClaimedJob;
import io.headgate.queues.worker.JobSource;
import io.headgate.queues.worker.PollRequest;
import io.headgate.queues.worker.PollResult;
import io.headgate.queues.worker.Settlement;
import io.headgate.spring.queues.internal.deadletters.ClaimedDeadLetter.AfterCall;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The settlements of one poll. Renewals and settlements of notifications are sent immediately. A settlement that first discards or
 * redrives a dead letter is sent after that call, together with the claim. If the call fails, only this settlement is reported as not
 * processed, and the worker sends it again.
 */
final class DeadLetterSettlements {

    private final JobSource<byte[]> notifications;
    private final PollRequest request;
    private final List<Integer> immediate = new ArrayList<>();
    private final List<Integer> afterCalls = new ArrayList<>();

    /** Of each settlement; the results of those that are not processed are ignored. */
    private final Settled[] settled;

    private final Map<Integer, QueueException> unconfirmed = new HashMap<>();
    private final Set<Integer> unsettled = new HashSet<>();
    private final Set<Integer> failedShards = new HashSet<>();
    private @Nullable QueueException failure;

    private DeadLetterSettlements(JobSource<byte[]> notifications, PollRequest request) {
        this.notifications = notifications;
        this.request = request;
        this.settled = new Settled[request.settlements().size()];
        Arrays.fill(settled, Settled.LEASE_LOST);
        for (int i = 0; i < settled.length; i++) {
            (request.settlements().get(i) instanceof AfterCall ? afterCalls : immediate).add(i);
        }
    }

    /** Settles and claims notifications. */
    static CompletionStage<PollResult<byte[]>> poll(JobSource<byte[]> notifications, PollRequest request) {
        DeadLetterSettlements settlements = new DeadLetterSettlements(notifications, request);
        return settlements.afterCalls.isEmpty() ? notifications.poll(request) : settlements.poll();
    }

    private CompletionStage<PollResult<byte[]>> poll() {
        List<CompletableFuture<Settlement>> calls = afterCalls.stream()
                .map(i -> ((AfterCall) request.settlements().get(i)).settlement())
                .toList();
        CompletionStage<?> first = immediate.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : notifications
                        .poll(part(
                                0,
                                immediate.stream()
                                        .map(request.settlements()::get)
                                        .toList()))
                        .thenAccept(result -> add(immediate, result));
        return first.thenCombine(
                        CompletableFuture.allOf(calls.toArray(new CompletableFuture<?>[0]))
                                .handle((done, failed) -> calls),
                        (done, ended) -> ended)
                .thenCompose(this::pollAfter);
    }

    private CompletionStage<PollResult<byte[]>> pollAfter(List<CompletableFuture<Settlement>> calls) {
        List<Integer> indexes = new ArrayList<>();
        List<Settlement> settlements = new ArrayList<>();
        for (int i = 0; i < calls.size(); i++) {
            try {
                settlements.add(calls.get(i).join());
                indexes.add(afterCalls.get(i));
            } catch (CompletionException e) {
                notSettled(afterCalls.get(i), e);
            }
        }
        return notifications.poll(part(request.max(), settlements)).handle((result, failed) -> {
            if (result != null) {
                add(indexes, result);
                return result(result.claimed(), result.moreInMicros());
            }
            if (immediate.isEmpty()) {
                throw new CompletionException(failed);
            }
            // The others are processed, and a failed poll would repeat them.
            indexes.forEach(index -> notSettled(index, failed));
            return result(List.of(), 0);
        });
    }

    private PollRequest part(int max, List<Settlement> settlements) {
        return new PollRequest(max, request.lease(), settlements, request.excludedShards(), request.excludedTenants());
    }

    private void notSettled(int index, @Nullable Throwable problem) {
        unsettled.add(index);
        failure = failure == null ? failure("settle", notifications.name(), problem) : failure;
    }

    private void add(List<Integer> indexes, PollResult<byte[]> result) {
        for (int i = 0; i < indexes.size(); i++) {
            settled[indexes.get(i)] = result.settled().get(i);
        }
        result.unconfirmed().forEach((i, problem) -> unconfirmed.put(indexes.get(i), problem));
        result.unsettled().forEach(i -> unsettled.add(indexes.get(i)));
        failedShards.addAll(result.failedShards());
        failure = failure == null ? result.failure().orElse(null) : failure;
    }

    private PollResult<byte[]> result(List<ClaimedJob<byte[]>> claimed, long moreInMicros) {
        return new PollResult<>(
                claimed,
                moreInMicros,
                Collections.unmodifiableList(Arrays.asList(settled)),
                unconfirmed,
                Optional.ofNullable(failure),
                unsettled,
                failedShards);
    }

    /** Returns the cause as a {@link QueueException}; wraps an exception of another class. */
    static QueueException failure(String operation, String key, @Nullable Throwable problem) {
        Throwable cause =
                problem instanceof CompletionException && problem.getCause() != null ? problem.getCause() : problem;
        return cause instanceof QueueException known
                ? known
                : new QueueException(operation, key, String.valueOf(cause), true, cause);
    }
}
