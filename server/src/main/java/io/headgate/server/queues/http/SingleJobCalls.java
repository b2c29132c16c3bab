package io.headgate.server.queues.http;

import io.headgate.queues.AsyncJobQueue;
import io.headgate.queues.JobId;
import io.headgate.queues.inspect.StoredJob;
import io.headgate.server.http.ProblemException;
import io.headgate.server.queues.JobChange;
import io.headgate.server.queues.JobJson;
import io.headgate.server.queues.http.QueueCall.Result;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** The calls of operators for single jobs: show, cancel, retry, discard. */
final class SingleJobCalls {

    private SingleJobCalls() {}

    static CompletionStage<Result> find(QueueRequest request) {
        request.requireNoParameters();
        return request.queue().find(request.id()).thenApply(found -> {
            Map<String, Object> members = new LinkedHashMap<>();
            members.put("queue", request.name());
            StoredJob<byte[]> job = found.orElseThrow(request::noSuchJob);
            members.putAll(request.seesPayloads() ? JobJson.full(job) : JobJson.withoutPayload(job));
            return new Result(members, "found");
        });
    }

    /** Makes this change to the job in the path. */
    static QueueCall change(JobChange change) {
        return request -> {
            request.requireNoParameters();
            request.body(List.of(), "{}");
            AsyncJobQueue<byte[]> queue = request.queue();
            JobId id = request.id();
            return change.apply(queue, id).thenApply(outcome -> {
                if (outcome.isUnknown()) {
                    throw request.noSuchJob();
                }
                if (!outcome.done()) {
                    throw ProblemException.conflict(
                            "job " + id + " was not changed, because its state is " + outcome.text());
                }
                Map<String, Object> members = new LinkedHashMap<>();
                members.put("queue", request.name());
                members.put("id", id.value());
                members.put("outcome", outcome.text());
                return new Result(members, outcome.text(), change.audited(request.name(), id, outcome));
            });
        };
    }
}
