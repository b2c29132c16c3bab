package io.headgate.server.queues.http;

import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.queues.QueueEngine;
import io.headgate.server.http.JsonBody;
import io.headgate.server.http.OperatorGate;
import io.headgate.server.http.OperatorLog;
import io.headgate.server.http.ProblemException;
import io.headgate.server.http.Responses;
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
    private final OperatorLog log;
    private final Map<HttpMethod, Endpoint> endpoints = new LinkedHashMap<>();

    private record Endpoint(String operation, boolean operators, QueueCall call) {}

    QueuePath(Optional<QueueEngine> queues, OperatorGate gate, OperatorLog log) {
        this.queues = queues;
        this.gate = gate;
        this.log = log;
    }

    /** Handles GET and HEAD with this call, for all clients. */
    QueuePath open(QueueCall call) {
        endpoints.put(HttpMethod.GET, new Endpoint("counts", false, call));
        endpoints.put(HttpMethod.HEAD, new Endpoint("counts", false, call));
        return this;
    }

    /** Handles a method with this call, for operators only. */
    QueuePath operators(HttpMethod method, String operation, QueueCall call) {
        endpoints.put(method, new Endpoint(operation, true, call));
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
        if (!endpoint.operators()) {
            return HttpResponse.of(request.aggregate()
                    .thenCompose(whole -> handle(endpoint, ctx, whole))
                    .thenApply(done -> Responses.json(done.members())));
        }
        OperatorLog.Entry entry = log.entry(ctx, what(ctx, endpoint));
        try {
            gate.require(request.headers());
        } catch (ProblemException e) {
            entry.refused(e);
            throw e;
        }
        return HttpResponse.of(request.aggregate()
                .thenCompose(whole -> handle(endpoint, ctx, whole))
                .whenComplete((done, failure) -> entry.ended(done == null ? null : done.outcome(), failure))
                .thenApply(done -> Responses.json(done.members())));
    }

    private static String what(ServiceRequestContext ctx, Endpoint endpoint) {
        @Nullable String job = ctx.pathParam("id");
        return endpoint.operation() + " " + Quoted.of(QueueRequest.name(ctx))
                + (job == null ? "" : " job " + Quoted.of(job));
    }

    private CompletionStage<QueueCall.Result> handle(
            Endpoint endpoint, ServiceRequestContext ctx, AggregatedHttpRequest request) {
        boolean hasBody = !request.content().isEmpty();
        if (hasBody || request.contentType() != null) {
            JsonBody.requireType(request.contentType());
        }
        try {
            return endpoint.call()
                    .handle(new QueueRequest(
                            ctx, queues.orElseThrow(() -> ProblemException.notFound(NO_QUEUES)), request))
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
