package io.headgate.server.limits;

import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.http.Problem;
import io.headgate.http.attributes.ClientAddress;
import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Policy;
import io.headgate.redis.audit.AuditAction;
import io.headgate.server.audit.AuditedChange;
import io.headgate.server.audit.ServerAudit;
import io.headgate.server.http.BearerToken;
import io.headgate.server.http.CallAudit;
import io.headgate.server.http.JsonBody;
import io.headgate.server.http.ProblemException;
import io.headgate.server.http.Responses;
import io.headgate.server.text.Quoted;
import io.headgate.server.text.Words;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/** {@code POST /v1/refund}: refunds charged permits for clients with the refund token. Disabled if the server has none. */
final class RefundApi implements HttpService {

    private static final Problem OFF = Problem.of(
            403,
            "refunds are off: the server was started without --refund-token TOKEN,"
                    + " without --refund-token-file FILE and without the variable HEADGATE_REFUND_TOKEN");
    private static final Problem UNKNOWN =
            Problem.of(401, "a refund needs the header field Authorization: Bearer TOKEN with the right token");

    private final Limiters limiters;
    private final CallAudit calls;
    private final Optional<BearerToken> token;

    RefundApi(
            Limiters limiters, Optional<BearerToken> token, Optional<ClientAddress> clientAddress, ServerAudit audit) {
        this.calls = new CallAudit(audit, clientAddress);
        this.limiters = limiters;
        this.token = token;
    }

    @Override
    public HttpResponse serve(ServiceRequestContext ctx, HttpRequest request) {
        if (request.method() != HttpMethod.POST) {
            return Responses.methodNotAllowed(request.method(), "POST");
        }
        CallAudit.Entry entry = calls.entry(ctx, CallAudit.Call.change("refund", AuditAction.LIMIT_REFUND));
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

    /** The ids whose permits are refunded, such as {@code  user=alice}; empty if no rule counts by an attribute. */
    private static String ids(Policy policy, Map<String, String> attributes) {
        String ids = policy.rules().stream()
                .flatMap(rule -> rule.dimensions().stream())
                .distinct()
                .filter(attributes::containsKey)
                .map(name -> name + "=" + attributes.get(name))
                .collect(Collectors.joining(","));
        return ids.isEmpty() ? "" : " " + ids;
    }

    private static ProblemException refused(CallAudit.Entry entry, ProblemException why) {
        entry.refused(why);
        return why;
    }

    private CompletionStage<HttpResponse> refund(AggregatedHttpRequest request, CallAudit.Entry entry) {
        RefundRequest refund = RefundRequest.parse(request.content().array());
        AsyncLimiter limiter = limiters.forRefund(refund.policy());
        String target = refund.policy() + ids(limiter.policy(), refund.attributes());
        entry.target(target);
        return Limiters.refund(limiter, refund).thenApply(refunded -> {
            entry.ended(
                    "refunded " + Words.count(refunded, "permit") + " of policy " + Quoted.of(refund.policy()),
                    Optional.of(AuditedChange.of(target).to(Map.of("permits", refunded))),
                    null);
            Map<String, Object> members = new LinkedHashMap<>();
            members.put("policy", refund.policy());
            members.put("refunded", refunded);
            return Responses.json(members);
        });
    }
}
