package io.headgate.server;

import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.limits.AsyncLimiter;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** {@code POST /v1/check}: answers 200 with the decision, allowed or denied, because the decision is what was asked. */
final class CheckApi implements HttpService {

    private final Limiters limiters;

    CheckApi(Limiters limiters) {
        this.limiters = limiters;
    }

    @Override
    public HttpResponse serve(ServiceRequestContext ctx, HttpRequest request) {
        if (request.method() != HttpMethod.POST) {
            return Answers.methodNotAllowed(request.method(), "POST");
        }
        requireJson(request.contentType());
        return HttpResponse.of(request.aggregate().thenCompose(this::decide));
    }

    private CompletionStage<HttpResponse> decide(AggregatedHttpRequest request) {
        CheckRequest check = CheckRequest.parse(request.content().array());
        AsyncLimiter limiter = limiters.named(check.policy());
        return Limiters.ask(limiter, check.attributes(), check.permits())
                .thenApply(decision -> Answers.json(DecisionJson.of(limiter.policy(), decision)));
    }

    private static void requireJson(@Nullable MediaType given) {
        if (given == null || !given.is(MediaType.JSON.withoutParameters())) {
            throw ProblemException.unsupportedMediaType("the content type must be application/json, was "
                    + (given == null ? "absent" : Quoted.of(given.toString())));
        }
    }
}
