package io.headgate.server.limits;

import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.http.Problem;
import io.headgate.limits.AsyncLimiter;
import io.headgate.server.http.BearerToken;
import io.headgate.server.http.JsonBody;
import io.headgate.server.http.OperatorLog;
import io.headgate.server.http.ProblemException;
import io.headgate.server.http.Responses;
import io.headgate.server.text.Quoted;
import io.headgate.server.text.Words;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** {@code POST /v1/refund}: refunds charged permits for clients with the refund token. Disabled if the server has none. */
final class RefundApi implements HttpService {

    private static final Problem OFF = Problem.of(
            403,
            "refunds are off: the server was started without --refund-token TOKEN,"
                    + " without --refund-token-file FILE and without the variable HEADGATE_REFUND_TOKEN");
    private static final Problem UNKNOWN =
            Problem.of(401, "a refund needs the header field Authorization: Bearer TOKEN with the right token");

    private final Limiters limiters;
    private final OperatorLog log = new OperatorLog();
    private final Optional<BearerToken> token;

    RefundApi(Limiters limiters, Optional<BearerToken> token) {
        this.limiters = limiters;
        this.token = token;
    }

    @Override
    public HttpResponse serve(ServiceRequestContext ctx, HttpRequest request) {
        if (request.method() != HttpMethod.POST) {
            return Responses.methodNotAllowed(request.method(), "POST");
        }
        OperatorLog.Entry entry = log.entry(ctx, "refund");
        if (token.isEmpty()) {
            throw refused(entry, new ProblemException(OFF));
        }
        if (!token.get().isIn(request.headers().get(HttpHeaderNames.AUTHORIZATION))) {
            throw refused(
                    entry,
                    new ProblemException(UNKNOWN, Map.of(HttpHeaderNames.WWW_AUTHENTICATE.toString(), "Bearer")));
        }
        JsonBody.requireType(request.contentType());
        return HttpResponse.of(request.aggregate()
                .thenCompose(whole -> refund(whole, entry))
                .whenComplete((response, failure) -> entry.ended(null, failure)));
    }

    private static ProblemException refused(OperatorLog.Entry entry, ProblemException why) {
        entry.refused(why);
        return why;
    }

    private CompletionStage<HttpResponse> refund(AggregatedHttpRequest request, OperatorLog.Entry entry) {
        RefundRequest refund = RefundRequest.parse(request.content().array());
        AsyncLimiter limiter = limiters.forRefund(refund.policy());
        return Limiters.refund(limiter, refund).thenApply(refunded -> {
            entry.ended(
                    "refunded " + Words.count(refunded, "permit") + " of policy " + Quoted.of(refund.policy()), null);
            Map<String, Object> members = new LinkedHashMap<>();
            members.put("policy", refund.policy());
            members.put("refunded", refunded);
            return Responses.json(members);
        });
    }
}
