package io.headgate.server.limits;

import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.limits.AsyncLimiter;
import io.headgate.server.http.JsonBody;
import io.headgate.server.http.ProblemException;
import io.headgate.server.http.Responses;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** {@code POST /v1/check}: returns 200 with the decision, allowed or denied, because the client asked for the decision. */
final class CheckApi implements HttpService {

    private final Limiters limiters;
    private final boolean receipts;

    /**
     * Creates the service for these limiters.
     *
     * @param receipts whether the response to a charged request has a receipt for a refund
     */
    CheckApi(Limiters limiters, boolean receipts) {
        this.limiters = limiters;
        this.receipts = receipts;
    }

    @Override
    public HttpResponse serve(ServiceRequestContext ctx, HttpRequest request) {
        if (request.method() != HttpMethod.POST) {
            return Responses.methodNotAllowed(request.method(), "POST");
        }
        JsonBody.requireType(request.contentType());
        return HttpResponse.of(request.aggregate().thenCompose(this::decide));
    }

    private CompletionStage<HttpResponse> decide(AggregatedHttpRequest request) {
        CheckBody body = CheckBody.parse(request.content().array());
        return body.isCombined()
                ? decideAll(body.checks(), request)
                : decide(body.checks().get(0), request);
    }

    private CompletionStage<HttpResponse> decide(CheckRequest check, AggregatedHttpRequest request) {
        AsyncLimiter limiter = limiters.named(check.policy());
        return Limiters.tryAcquire(limiter, check.attributes(), check.permits(), IdempotencyKey.of(request.headers()))
                .thenApply(decision -> Responses.json(DecisionJson.of(decision, receipts)));
    }

    private CompletionStage<HttpResponse> decideAll(List<CheckRequest> checks, AggregatedHttpRequest request) {
        if (IdempotencyKey.of(request.headers()).isPresent()) {
            throw ProblemException.badRequest(
                    IdempotencyKey.FIELD + " is not accepted for several policies; remove it, or check one policy");
        }
        return limiters.tryAcquire(checks).thenApply(decision -> Responses.json(DecisionJson.of(decision, receipts)));
    }
}
