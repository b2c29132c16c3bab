package io.headgate.server.queues.http;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.server.ServerBuilder;
import io.headgate.queues.AsyncJobQueue;
import io.headgate.queues.Enqueued;
import io.headgate.queues.QueueEngine;
import io.headgate.redis.audit.AuditAction;
import io.headgate.server.audit.AuditedChange;
import io.headgate.server.http.OperatorGate;
import io.headgate.server.operators.Role;
import io.headgate.server.queues.JobChange;
import io.headgate.server.queues.QueueJson;
import io.headgate.server.queues.http.QueueCall.Result;
import io.headgate.server.text.Words;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** The paths under {@code /v1/queues}: counts for all clients, all other calls for operators. */
public final class QueueApi {

    /** The maximum bytes of a body with jobs: payloads of 512 KiB in Base64, and the other members. */
    static final int MAX_ENQUEUE_BYTES = 2 << 20;

    private static final String QUEUE = "/v1/queues/{name}";

    private final Optional<QueueEngine> queues;
    private final OperatorGate gate;

    public QueueApi(Optional<QueueEngine> queues, OperatorGate gate) {
        this.queues = queues;
        this.gate = gate;
    }

    public void addTo(ServerBuilder server) {
        server.service("/v1/queues", path().open(new QueueOverview()));
        server.service(QUEUE, path().open(QueueApi::counts));
        server.route()
                .path(QUEUE + "/jobs")
                .maxRequestLength(MAX_ENQUEUE_BYTES)
                .build(path().readers(Role.VIEW, "list", BulkJobCalls::list)
                        .operators(
                                HttpMethod.POST, Role.OPERATE, "enqueue", AuditAction.JOB_ENQUEUE, QueueApi::enqueue));
        server.service(
                QUEUE + "/jobs/{id}",
                path().readers(Role.VIEW, "show", SingleJobCalls::find)
                        .operators(
                                HttpMethod.DELETE,
                                Role.OPERATE,
                                "cancel",
                                JobChange.CANCEL.action(),
                                SingleJobCalls.change(JobChange.CANCEL)));
        post(server, "/jobs/{id}/retry", "retry", JobChange.RETRY.action(), SingleJobCalls.change(JobChange.RETRY));
        post(
                server,
                "/jobs/{id}/discard",
                "discard",
                JobChange.DISCARD.action(),
                SingleJobCalls.change(JobChange.DISCARD));
        post(server, "/redrive", "redrive", AuditAction.QUEUE_REDRIVE, BulkJobCalls::redrive);
        server.service(
                QUEUE + "/purge",
                path().operators(HttpMethod.POST, Role.ADMIN, "purge", AuditAction.QUEUE_PURGE, BulkJobCalls::purge));
        post(server, "/audit", "audit", AuditAction.QUEUE_REPAIR, new QueueAuditCall());
        post(server, "/pause", "pause", AuditAction.QUEUE_PAUSE, request -> pause(request, true));
        post(server, "/resume", "resume", AuditAction.QUEUE_RESUME, request -> pause(request, false));
    }

    private void post(ServerBuilder server, String path, String operation, AuditAction action, QueueCall call) {
        server.service(QUEUE + path, path().operators(HttpMethod.POST, Role.OPERATE, operation, action, call));
    }

    private QueuePath path() {
        return new QueuePath(queues, gate);
    }

    private static CompletionStage<Result> counts(QueueRequest request) {
        request.requireNoParameters();
        AsyncJobQueue<byte[]> queue = request.queue();
        return queue.counts()
                .thenCompose(request::requireExisting)
                .thenCombine(
                        queue.shards(),
                        (counts, shards) -> new Result(QueueJson.counts(request.name(), counts, shards), "counted"));
    }

    private static CompletionStage<Result> enqueue(QueueRequest request) {
        request.requireNoParameters();
        EnqueueRequest given = EnqueueRequest.parse(request);
        CompletionStage<List<Enqueued>> enqueued =
                request.queue().enqueueAll(given.jobs()).exceptionallyCompose(PartialEnqueue::failed);
        return enqueued.thenApply(all -> {
            Map<String, Object> members = new LinkedHashMap<>();
            members.put("queue", request.name());
            if (given.several()) {
                members.put("jobs", all.stream().map(QueueJson::enqueued).toList());
            } else {
                members.putAll(QueueJson.enqueued(all.get(0)));
            }
            long existing = all.stream()
                    .filter(one -> one.outcome() == Enqueued.Outcome.SAME)
                    .count();
            return new Result(
                    members,
                    "enqueued " + Words.count(all.size() - existing, "job")
                            + (existing == 0 ? "" : ", skipped " + existing + " with existing keys"),
                    AuditedChange.of(request.name()).to(Map.of("jobs", all.size() - existing)));
        });
    }

    private static CompletionStage<Result> pause(QueueRequest request, boolean paused) {
        request.requireNoParameters();
        request.body(List.of(), "{}");
        AsyncJobQueue<byte[]> queue = request.queue();
        return queue.counts()
                .thenCompose(request::requireExisting)
                .thenCompose(before -> (paused ? queue.pause() : queue.resume())
                        .thenApply(nothing -> new Result(
                                QueueJson.paused(request.name(), paused),
                                paused ? "paused" : "resumed",
                                AuditedChange.of(request.name())
                                        .from(Map.of("paused", before.paused()))
                                        .to(Map.of("paused", paused)))));
    }
}
