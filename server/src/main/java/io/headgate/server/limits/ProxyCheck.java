package io.headgate.server.limits;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.util.TimeoutMode;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.http.Problem;
import io.headgate.http.RateLimitFields;
import io.headgate.http.Seconds;
import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.server.http.Answers;
import io.headgate.server.http.ArmeriaRequest;
import io.headgate.server.http.WaitingRequests;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * {@code GET /check/{policy}}: responds with a status, for proxies that check a request before they pass it on, such as nginx with
 * {@code auth_request} and Caddy with {@code forward_auth}.
 */
final class ProxyCheck implements HttpService {

    static final String POLICY = "policy";

    /** The rest of the delay of an admitted request, in seconds, which the client must wait before it proceeds. */
    static final String DELAY = "Headgate-Delay";

    private final Limiters limiters;
    private final WaitingRequests waiting;
    private final ProxyAttributes attributes;

    ProxyCheck(Limiters limiters, WaitingRequests waiting, ProxyAttributes attributes) {
        this.limiters = limiters;
        this.waiting = waiting;
        this.attributes = attributes;
    }

    @Override
    public HttpResponse serve(ServiceRequestContext ctx, HttpRequest request) {
        if (request.method() != HttpMethod.GET && request.method() != HttpMethod.HEAD) {
            return Answers.methodNotAllowed(request.method(), "GET, HEAD");
        }
        AsyncLimiter limiter = limiters.named(Objects.requireNonNull(ctx.pathParam(POLICY)));
        ProxyRequest check = ProxyRequest.parse(limiter.policy(), new ArmeriaRequest(ctx, request), attributes);
        if (check.hold().isZero() || !HeldAnswer.mayDelay(limiter.policy())) {
            return answer(ctx, limiter, check);
        }
        waiting.enter(check.denyStatus());
        try {
            HttpResponse answer = answer(ctx, limiter, check);
            answer.whenComplete().whenComplete((sent, gone) -> waiting.leave());
            return answer;
        } catch (RuntimeException e) {
            waiting.leave();
            throw e;
        }
    }

    private static HttpResponse answer(ServiceRequestContext ctx, AsyncLimiter limiter, ProxyRequest check) {
        return HttpResponse.of(Limiters.tryAcquire(limiter, check.attributes(), check.permits(), Optional.empty())
                .thenApply(decision -> inTurn(ctx, limiter.policy(), decision, check)));
    }

    /** Responds at once, or after the part of the delay that the client accepts. */
    private static HttpResponse inTurn(
            ServiceRequestContext ctx, Policy policy, Decision decision, ProxyRequest check) {
        Duration delay = decision.delay();
        Duration held = delay.compareTo(check.hold()) < 0 ? delay : check.hold();
        Duration left = delay.minus(held);
        if (held.isZero()) {
            return answer(policy, decision, left, check.denyStatus());
        }
        ctx.setRequestTimeout(TimeoutMode.EXTEND, held);
        return HeldAnswer.back(() -> answer(policy, decision, left, check.denyStatus()), held, ctx.eventLoop());
    }

    private static HttpResponse answer(Policy policy, Decision decision, Duration left, int denyStatus) {
        var fields = RateLimitFields.of(decision);
        if (!left.isZero()) {
            fields.put(DELAY, Seconds.exact(left).toPlainString());
        }
        return decision.allowed()
                ? Answers.empty(fields)
                : Answers.problem(Problem.denied(policy, decision, denyStatus), fields);
    }
}
