package io.headgate.server;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.QueryParams;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import java.util.Objects;

/**
 * {@code GET /check/{policy}}: answers with a status, for proxies that ask before they pass a request on, such as
 * nginx by {@code auth_request} and Caddy by {@code forward_auth}.
 */
final class ProxyCheck implements HttpService {

    static final String POLICY = "policy";

    private final Limiters limiters;

    ProxyCheck(Limiters limiters) {
        this.limiters = limiters;
    }

    @Override
    public HttpResponse serve(ServiceRequestContext ctx, HttpRequest request) {
        if (request.method() != HttpMethod.GET && request.method() != HttpMethod.HEAD) {
            return Answers.methodNotAllowed(request.method(), "GET, HEAD");
        }
        AsyncLimiter limiter = limiters.named(Objects.requireNonNull(ctx.pathParam(POLICY)));
        // Unlike ctx.queryParams(), which also takes a semicolon for the end of a parameter.
        QueryParams query = QueryParams.fromQueryString(ctx.query(), false);
        ProxyRequest check = ProxyRequest.parse(limiter.policy(), request.headers(), query);
        return HttpResponse.of(Limiters.ask(limiter, check.attributes(), check.permits())
                .thenApply(decision -> answer(limiter.policy(), decision, check.denyStatus())));
    }

    private static HttpResponse answer(Policy policy, Decision decision, int denyStatus) {
        var fields = RateLimitHeaders.of(decision);
        return decision.allowed()
                ? Answers.empty(fields)
                : Answers.problem(QuotaExceeded.of(policy, decision, denyStatus), fields);
    }
}
