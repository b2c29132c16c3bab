package io.headgate.server.queues.http;

import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.queues.JobId;
import io.headgate.queues.QueueEngine;
import io.headgate.redis.audit.AuditAction;
import io.headgate.server.http.CallAudit;
import io.headgate.server.http.JsonBody;
import io.headgate.server.http.OperatorGate;
import io.headgate.server.http.ProblemException;
import io.headgate.server.http.Responses;
import io.headgate.server.operators.Role;
import io.headgate.server.text.Quoted;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A path under {@code /v1/queues}: the call for each of its methods, and whether the method is for operators only. */
final class QueuePath implements HttpService {

    private static final String NO_QUEUES = "this server has no queues: it was started without --redis URL";

    private final Optional<QueueEngine> queues;
    private final OperatorGate gate;
    private final Map<HttpMethod, Endpoint> endpoints = new LinkedHashMap<>();

    /** A call of a method. The role that it needs is empty if it is open to all clients, and the action if it only reads. */
    private record Endpoint(String operation, Optional<Role> role, Optional<AuditAction> action, QueueCall call) {}

    QueuePath(Optional<QueueEngine> queues, OperatorGate gate) {
        this.queues = queues;
        this.gate = gate;
    }

    /** Handles GET and HEAD with this call, for all clients. */
    QueuePath open(QueueCall call) {
        endpoints.put(HttpMethod.GET, new Endpoint("counts", Optional.empty(), Optional.empty(), call));
        endpoints.put(HttpMethod.HEAD, new Endpoint("counts", Optional.empty(), Optional.empty(), call));
        return this;
    }

    /** Handles GET with this call, for operators with this role. */
    QueuePath readers(Role needed, String operation, QueueCall call) {
        endpoints.put(HttpMethod.GET, new Endpoint(operation, Optional.of(needed), Optional.empty(), call));
        return this;
    }

    /** Handles a method with this call, for operators with this role. */
    QueuePath operators(HttpMethod method, Role needed, String operation, AuditAction action, QueueCall call) {
        endpoints.put(method, new Endpoint(operation, Optional.of(needed), Optional.of(action), call));
        return this;
    }

    @Override
    public HttpResponse serve(ServiceRequestContext ctx, HttpRequest request) {
        Endpoint endpoint = endpoints.get(request.method());
        if (endpoint == null) {
            return Responses.methodNotAllowed(
                    request.method(),
                    endpoints.keySet().stream().map(HttpMethod::name).collect(Collectors.joining(", ")));
        }
        if (endpoint.role().isEmpty()) {
            return HttpResponse.of(request.aggregate()
                    .thenCompose(whole -> handle(endpoint, ctx, whole, false))
                    .thenApply(done -> Responses.json(done.members())));
        }
        CallAudit.Entry entry = gate.admit(ctx, endpoint.role().get(), audited(ctx, endpoint));
        boolean seesPayloads = entry.operator().role().includes(Role.OPERATE);
        return HttpResponse.of(request.aggregate()
                .thenCompose(whole -> handle(endpoint, ctx, whole, seesPayloads))
                .whenComplete((done, failure) -> entry.ended(
                        done == null ? null : done.outcome(), done == null ? Optional.empty() : done.change(), failure))
                .thenApply(done -> Responses.json(done.members())));
    }

    private static CallAudit.Call audited(ServiceRequestContext ctx, Endpoint endpoint) {
        String queue = QueueRequest.name(ctx);
        @Nullable String job = ctx.pathParam("id");
        String operation = endpoint.operation();
        String what = operation + " " + Quoted.of(queue);
        if (job == null) {
            return new CallAudit.Call(what, endpoint.action(), queue, operation);
        }
        return isId(job)
                ? new CallAudit.Call(what + " job " + Quoted.of(job), endpoint.action(), queue + "/" + job, operation)
                : new CallAudit.Call(what + " job (not an id)", endpoint.action(), queue, operation);
    }

    /** Whether a text has the form of an id. Another one may be the key of a job, which the audit log must not contain. */
    private static boolean isId(String job) {
        try {
            return new JobId(job).value().equals(job);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private CompletionStage<QueueCall.Result> handle(
            Endpoint endpoint, ServiceRequestContext ctx, AggregatedHttpRequest request, boolean seesPayloads) {
        boolean hasBody = !request.content().isEmpty();
        if (hasBody || request.contentType() != null) {
            JsonBody.requireType(request.contentType());
        }
        try {
            return endpoint.call()
                    .handle(new QueueRequest(
                            ctx, queues.orElseThrow(() -> ProblemException.notFound(NO_QUEUES)), request, seesPayloads))
                    .exceptionallyCompose(problem -> CompletableFuture.failedFuture(orBadRequest(problem)));
        } catch (IllegalArgumentException e) {
            throw badRequest(e);
        }
    }

    /** Turns an IllegalArgumentException into a bad request: a queue may reject an argument after it has read the number of shards. */
    private static Throwable orBadRequest(Throwable problem) {
        @Nullable Throwable cause = problem instanceof CompletionException ? problem.getCause() : problem;
        return cause instanceof IllegalArgumentException given ? badRequest(given) : problem;
    }

    /** A bad request, because the cause of an IllegalArgumentException of an engine is an argument of the client. */
    private static ProblemException badRequest(IllegalArgumentException e) {
        return ProblemException.badRequest(String.valueOf(e.getMessage()));
    }
}
