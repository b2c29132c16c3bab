package io.headgate.server.queues.http;

import io.headgate.queues.QueueCounts;
import io.headgate.server.queues.OperatedQueues;
import io.headgate.server.queues.QueueJson;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;

/**
 * All queues with their counts. Everybody may ask, and it takes a call for each queue: so those who ask while it is under way
 * share one answer.
 */
final class QueueOverview implements QueueCall {

    /** How many queues are shown at most. */
    private static final int MAX_LISTED = 1000;

    private final AtomicReference<CompletableFuture<Done>> underWay =
            new AtomicReference<>(CompletableFuture.completedFuture(new Done(Map.of(), "")));

    @Override
    public CompletionStage<Done> answer(QueueRequest request) {
        request.requireParameters(List.of());
        CompletableFuture<Done> last = Objects.requireNonNull(underWay.get());
        if (!last.isDone()) {
            return last;
        }
        CompletableFuture<Done> next = new CompletableFuture<>();
        if (!underWay.compareAndSet(last, next)) {
            return Objects.requireNonNull(underWay.get());
        }
        look(request).whenComplete((done, failure) -> {
            if (failure == null) {
                next.complete(done);
            } else {
                next.completeExceptionally(failure);
            }
        });
        return next;
    }

    private static CompletionStage<Done> look(QueueRequest request) {
        return request.names().thenCompose(names -> {
            List<String> shown = names.subList(0, Math.min(names.size(), MAX_LISTED));
            return OperatedQueues.counts(request.queues(), shown)
                    .thenApply(all -> new Done(members(all, names.size() - shown.size()), "looked"));
        });
    }

    private static Map<String, Object> members(Map<String, QueueCounts> all, int notShown) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put(
                "queues",
                all.entrySet().stream()
                        .map(one -> QueueJson.counts(one.getKey(), one.getValue()))
                        .toList());
        if (notShown > 0) {
            members.put("notShown", notShown);
        }
        return members;
    }
}
