package io.headgate.server.queues.http;

import io.headgate.server.queues.OperatedQueues;
import io.headgate.server.queues.QueueJson;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;

/** All queues with their counts. Every client may request them, and each queue takes a call, so concurrent requests share one response. */
final class QueueOverview implements QueueCall {

    /** The maximum number of queues. */
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
        read(request).whenComplete((done, failure) -> {
            if (failure == null) {
                next.complete(done);
            } else {
                next.completeExceptionally(failure);
            }
        });
        return next;
    }

    private static CompletionStage<Done> read(QueueRequest request) {
        return request.names().thenCompose(names -> {
            List<String> shown = names.subList(0, Math.min(names.size(), MAX_LISTED));
            return OperatedQueues.counts(request.queues(), shown)
                    .thenApply(all -> new Done(members(all, names.size() - shown.size()), "looked"));
        });
    }

    private static Map<String, Object> members(OperatedQueues.Listing all, int omitted) {
        Map<String, Object> members = new LinkedHashMap<>();
        List<Map<String, Object>> queues = new ArrayList<>();
        all.counts().forEach((name, counts) -> queues.add(QueueJson.counts(name, counts)));
        all.unreadable().forEach((name, problem) -> queues.add(QueueJson.unreadable(name, problem)));
        members.put("queues", queues);
        if (omitted > 0) {
            members.put("omitted", omitted);
        }
        return members;
    }
}
