package io.headgate.server.queues.http;

import io.headgate.http.Seconds;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.inspect.Page;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.queues.inspect.StoredJob;
import io.headgate.server.http.JsonBody;
import io.headgate.server.http.Parameters;
import io.headgate.server.queues.JobJson;
import io.headgate.server.queues.JobStateOption;
import io.headgate.server.queues.PurgeState;
import io.headgate.server.queues.QueueChange;
import io.headgate.server.queues.Rate;
import io.headgate.server.queues.http.QueueCall.Result;
import io.headgate.server.text.Words;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The calls of operators for the jobs of a queue: list, redrive, purge. */
final class BulkJobCalls {

    private static final String EXAMPLE = "{\"max\": 100, \"perSecond\": 10}";

    private BulkJobCalls() {}

    static CompletionStage<Result> list(QueueRequest request) {
        Parameters parameters = request.parameters(List.of("state", "max", "from"));
        JobState.Kind state = JobStateOption.parse(parameters.get("state").orElse("ready"));
        int max = parameters.number("max", 50, QueueSettings.MAX_BATCH);
        Cursor from = parameters.get("from").map(Cursor::new).orElse(Cursor.START);
        return request.queue()
                .jobs(state, from, max)
                .thenCompose(page -> page.items().isEmpty()
                        ? request.existing().thenApply(queue -> listed(request, state, page))
                        : CompletableFuture.completedFuture(listed(request, state, page)));
    }

    private static Result listed(QueueRequest request, JobState.Kind state, Page<StoredJob<byte[]>> page) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("queue", request.name());
        members.put("state", Words.lower(state));
        members.put(
                "jobs",
                page.items().stream()
                        .map(job -> request.seesPayloads() ? JobJson.summary(job) : JobJson.withoutPayload(job))
                        .toList());
        page.next().ifPresent(next -> members.put("next", next.value()));
        return new Result(members, "listed " + Words.count(page.items().size(), "job"));
    }

    static CompletionStage<Result> redrive(QueueRequest request) {
        request.requireNoParameters();
        JsonBody body = request.body(List.of("max", "perSecond", "dryRun"), EXAMPLE);
        int max = (int) body.whole("max", QueueSettings.MAX_BATCH, QueueSettings.MAX_BATCH);
        Rate rate = body.has("perSecond") ? Rate.of(body.decimal("perSecond")) : Rate.UNBOUNDED;
        if (body.flag("dryRun")) {
            return dryRun(request, "wouldRedrive", PurgeState.DEAD, max);
        }
        return request.existing().thenCompose(queue -> queue.deadLetters()
                .redriveOldest(max, rate.spacing())
                .thenCompose(redriven ->
                        queue.counts().thenApply(counts -> redriven(request.name(), redriven, counts, rate))));
    }

    private static Result redriven(String name, int redriven, QueueCounts counts, Rate rate) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("queue", name);
        members.put("redriven", redriven);
        members.put("remaining", counts.dead());
        if (rate.isBounded() && counts.dead() > 0) {
            members.put("continueAfterSeconds", Seconds.exact(rate.timeOf(redriven)));
        }
        return new Result(
                members,
                "redriven " + Words.count(redriven, "dead letter"),
                QueueChange.redriven(name, redriven, counts.dead()));
    }

    static CompletionStage<Result> purge(QueueRequest request) {
        request.requireNoParameters();
        JsonBody body = request.requiredBody(List.of("state", "max", "dryRun"), "{\"state\": \"dead\", \"max\": 100}");
        PurgeState state = PurgeState.parse(body.string("state"));
        int max = (int) body.whole("max", QueueSettings.MAX_BATCH, QueueSettings.MAX_BATCH);
        if (body.flag("dryRun")) {
            return dryRun(request, "wouldPurge", state, max);
        }
        return request.existing()
                .thenCompose(queue -> state.purge(queue, max))
                .thenCompose(purged -> request.queue().counts().thenApply(counts -> {
                    Map<String, Object> members = new LinkedHashMap<>();
                    members.put("queue", request.name());
                    members.put("state", Words.lower(state));
                    members.put("purged", purged);
                    members.put("remaining", state.countIn(counts));
                    return new Result(
                            members,
                            "purged " + state.describe(purged),
                            QueueChange.purged(request.name(), state, purged, state.countIn(counts)));
                }));
    }

    private static CompletionStage<Result> dryRun(QueueRequest request, String member, PurgeState state, int max) {
        return request.queue().counts().thenCompose(request::requireExisting).thenApply(counts -> {
            Map<String, Object> members = new LinkedHashMap<>();
            members.put("queue", request.name());
            members.put(member, Math.min(max, state.countIn(counts)));
            members.put("dryRun", true);
            return new Result(members, "dry run");
        });
    }
}
