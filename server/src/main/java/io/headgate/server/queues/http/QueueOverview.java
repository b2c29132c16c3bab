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

/** Lists up to 1000 queues with their counts, for any client. Each queue takes a Redis call, so concurrent requests share a result. */
final class QueueOverview implements QueueCall {

    /** The maximum number of queues in the list. */
    private static final int MAX_LISTED = 1000;

    private final AtomicReference<CompletableFuture<Result>> current =
            new AtomicReference<>(CompletableFuture.completedFuture(new Result(Map.of(), "")));

    @Override
    public CompletionStage<Result> handle(QueueRequest request) {
        request.requireNoParameters();
        CompletableFuture<Result> last = Objects.requireNonNull(current.get());
        if (!last.isDone()) {
            return last;
        }
        CompletableFuture<Result> next = new CompletableFuture<>();
        if (!current.compareAndSet(last, next)) {
            return Objects.requireNonNull(current.get());
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

    private static CompletionStage<Result> read(QueueRequest request) {
        return request.names().thenCompose(names -> {
            List<String> listed = names.subList(0, Math.min(names.size(), MAX_LISTED));
            return OperatedQueues.counts(request.queues(), listed)
                    .thenApply(all -> new Result(members(all, names.size() - listed.size()), "counted"));
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
