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
import io.headgate.http.attributes.RequestView;
import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.limits.combined.CombinedDecision;
import io.headgate.server.http.ArmeriaRequest;
import io.headgate.server.http.ProblemException;
import io.headgate.server.http.Responses;
import io.headgate.server.http.WaitingRequests;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * {@code GET /check/{policy}}, or {@code /check/{policy},{policy}} for several policies: the status of the response is the decision. It is
 * for proxies that check a request before they forward it, such as nginx with {@code auth_request} and Caddy with {@code forward_auth}.
 */
final class ProxyCheck implements HttpService {

    static final String POLICY = "policy";

    /** Separates the names of several policies. No name contains it. */
    private static final String SEPARATOR = ",";

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

    /** A check that is ready to be decided. */
    private record Check(ProxyRequest request, boolean mayDelay, Supplier<CompletionStage<Outcome>> decision) {}

    /** The parts of a decision, by one or several policies, that the response contains. */
    private record Outcome(
            boolean allowed, boolean banned, Duration delay, Map<String, String> fields, IntFunction<Problem> problem) {

        static Outcome of(Policy policy, Decision decision) {
            return new Outcome(
                    decision.allowed(),
                    decision.basis() == Decision.Basis.BANNED,
                    decision.delay(),
                    RateLimitFields.of(decision),
                    status -> Problem.denied(policy, decision, status));
        }

        static Outcome of(List<Policy> policies, CombinedDecision decision) {
            Decision decisive = decision.decisive();
            Policy policy = policies.get(decision.decisions().indexOf(decisive));
            return new Outcome(
                    decision.allowed(),
                    decisive.basis() == Decision.Basis.BANNED,
                    decision.delay(),
                    RateLimitFields.of(decision),
                    status -> Problem.denied(policy, decisive, status));
        }
    }

    @Override
    public HttpResponse serve(ServiceRequestContext ctx, HttpRequest request) {
        if (request.method() != HttpMethod.GET && request.method() != HttpMethod.HEAD) {
            return Responses.methodNotAllowed(request.method(), "GET, HEAD");
        }
        String policies = Objects.requireNonNull(ctx.pathParam(POLICY));
        RequestView view = new ArmeriaRequest(ctx, request);
        Check check = policies.contains(SEPARATOR) ? several(names(policies), view) : one(policies, view);
        if (check.request().maxDelay().isZero() || !check.mayDelay()) {
            return response(ctx, check);
        }
        waiting.enter(check.request().denyStatus());
        try {
            HttpResponse response = response(ctx, check);
            response.whenComplete().whenComplete((sent, failure) -> waiting.leave());
            return response;
        } catch (RuntimeException e) {
            waiting.leave();
            throw e;
        }
    }

    /** Splits the names of the policies, and rejects more than a check in JSON may have. */
    private static List<String> names(String policies) {
        String[] names = policies.split(SEPARATOR, CheckBody.MAX_POLICIES + 1);
        if (names.length > CheckBody.MAX_POLICIES) {
            throw ProblemException.badRequest(
                    "the path must name at most " + CheckBody.MAX_POLICIES + " policies, but names more");
        }
        return List.of(names);
    }

    private Check one(String name, RequestView view) {
        AsyncLimiter limiter = limiters.named(name);
        Policy policy = limiter.policy();
        ProxyRequest request = ProxyRequest.parse(policy, view, attributes);
        return new Check(request, DelayedResponse.mayDelay(policy), () -> Limiters.tryAcquire(
                        limiter, request.attributes(), request.permits(), Optional.empty())
                .thenApply(decision -> Outcome.of(limiter.policy(), decision)));
    }

    /**
     * A check of several policies. Each is charged the same number of permits, and receives the attributes that its rules and overrides
     * use.
     */
    private Check several(List<String> names, RequestView view) {
        List<Policy> policies =
                names.stream().map(name -> limiters.named(name).policy()).toList();
        List<ProxyRequest> requests = policies.stream()
                .map(policy -> ProxyRequest.parse(policy, view, attributes))
                .toList();
        List<CheckRequest> checks = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            ProxyRequest request = requests.get(i);
            checks.add(new CheckRequest(names.get(i), request.attributes(), request.permits()));
        }
        return new Check(
                requests.get(0),
                policies.stream().anyMatch(DelayedResponse::mayDelay),
                () -> limiters.tryAcquire(checks).thenApply(decision -> Outcome.of(policies, decision)));
    }

    private static HttpResponse response(ServiceRequestContext ctx, Check check) {
        return HttpResponse.of(check.decision().get().thenApply(outcome -> afterDelay(ctx, outcome, check.request())));
    }

    /** Responds immediately, or after the part of the delay that the client accepts. */
    private static HttpResponse afterDelay(ServiceRequestContext ctx, Outcome outcome, ProxyRequest request) {
        Duration delay = outcome.delay();
        Duration sendAfter = delay.compareTo(request.maxDelay()) < 0 ? delay : request.maxDelay();
        Duration rest = delay.minus(sendAfter);
        if (sendAfter.isZero()) {
            return response(outcome, rest, request);
        }
        ctx.setRequestTimeout(TimeoutMode.EXTEND, sendAfter);
        return DelayedResponse.after(sendAfter, () -> response(outcome, rest, request), ctx.eventLoop());
    }

    private static HttpResponse response(Outcome outcome, Duration rest, ProxyRequest request) {
        if (!rest.isZero()) {
            outcome.fields().put(DELAY, Seconds.exact(rest).toPlainString());
        }
        int denial = outcome.banned() ? request.banStatus() : request.denyStatus();
        return outcome.allowed()
                ? Responses.empty(outcome.fields())
                : Responses.problem(outcome.problem().apply(denial), outcome.fields());
    }
}
