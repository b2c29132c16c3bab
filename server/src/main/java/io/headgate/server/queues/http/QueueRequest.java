package io.headgate.server.queues.http;

import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.queues.AsyncJobQueue;
import io.headgate.queues.JobId;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.server.http.JsonBody;
import io.headgate.server.http.Parameters;
import io.headgate.server.http.ProblemException;
import io.headgate.server.queues.OperatedQueues;
import io.headgate.server.text.Quoted;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A request under {@code /v1/queues}. Reads its queue, job, parameters and body strictly. */
final class QueueRequest {

    private static final byte[] EMPTY_OBJECT = {'{', '}'};

    private final ServiceRequestContext ctx;
    private final QueueEngine queues;
    private final byte[] body;
    private final boolean seesPayloads;

    QueueRequest(ServiceRequestContext ctx, QueueEngine queues, AggregatedHttpRequest request, boolean seesPayloads) {
        this.ctx = ctx;
        this.queues = queues;
        this.body = request.content().array();
        this.seesPayloads = seesPayloads;
    }

    /** Returns whether the operator may read the payloads and headers of jobs. */
    boolean seesPayloads() {
        return seesPayloads;
    }

    QueueEngine queues() {
        return queues;
    }

    /** The name of the queue in the path. */
    static String name(ServiceRequestContext ctx) {
        @Nullable String name = ctx.pathParam("name");
        return name == null ? "" : name;
    }

    String name() {
        return name(ctx);
    }

    /**
     * The queue in the path.
     *
     * @throws IllegalArgumentException if the name is not valid
     */
    AsyncJobQueue<byte[]> queue() {
        return OperatedQueues.named(queues, name()).async();
    }

    /** The existing queue in the path; otherwise a {@link ProblemException} with status 404. */
    CompletionStage<AsyncJobQueue<byte[]>> existing() {
        AsyncJobQueue<byte[]> queue = queue();
        return queue.counts().thenCompose(this::requireExisting).thenApply(counts -> queue);
    }

    /** Returns these counts of the queue in the path; a {@link ProblemException} with status 404 if the queue does not exist. */
    CompletionStage<QueueCounts> requireExisting(QueueCounts counts) {
        if (!OperatedQueues.isEmpty(counts)) {
            return CompletableFuture.completedFuture(counts);
        }
        return names().thenApply(names -> {
            if (!names.contains(name())) {
                throw ProblemException.notFound("no queue is named " + Quoted.of(name()) + "; /v1/queues lists them");
            }
            return counts;
        });
    }

    /** The names of all queues. They are read by another thread, because that call of the engine blocks. */
    CompletionStage<List<String>> names() {
        return CompletableFuture.supplyAsync(queues::names, ctx.blockingTaskExecutor());
    }

    /**
     * The job in the path.
     *
     * @throws IllegalArgumentException if the id is not valid
     */
    JobId id() {
        @Nullable String id = ctx.pathParam("id");
        return new JobId(id == null ? "" : id);
    }

    /** The problem that the job in the path does not exist. */
    ProblemException noSuchJob() {
        return ProblemException.notFound("queue " + name() + " has no job " + id()
                + "; it may be done, cancelled or removed, or belong to another queue");
    }

    /** Sets the timeout of this request. */
    void setTimeout(Duration timeout) {
        ctx.setRequestTimeout(timeout);
    }

    /** Rejects any parameter. */
    void requireNoParameters() {
        parameters(List.of());
    }

    /** Returns the parameters; rejects others than these, and a parameter that is given twice. */
    Parameters parameters(List<String> allowed) {
        return Parameters.of(ctx.queryParams(), allowed);
    }

    /** The optional body; without one, an object without members. */
    JsonBody body(List<String> members, String example) {
        return JsonBody.parse(body.length == 0 ? EMPTY_OBJECT : body, members, example);
    }

    /** The required body. */
    JsonBody requiredBody(List<String> members, String example) {
        return JsonBody.parse(body, members, example);
    }
}
