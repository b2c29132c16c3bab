package io.headgate.server.holds;

import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.util.TimeoutMode;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.config.PolicyRegistry;
import io.headgate.http.Problem;
import io.headgate.limits.AsyncInFlightLimiter;
import io.headgate.limits.Hold;
import io.headgate.limits.PermitRequest;
import io.headgate.server.http.JsonBody;
import io.headgate.server.http.ProblemException;
import io.headgate.server.http.Responses;
import io.headgate.server.http.SameSiteOnly;
import io.headgate.server.http.WaitingRequests;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * {@code /v1/holds}: takes, renews and releases holds, and reads their counts. The server renews nothing in the background: the client is
 * the holder, and a hold that it does not renew expires.
 */
public final class HoldsApi {

    private static final Problem LOST = Problem.of(
            410,
            "the hold expired or was released, and another client may have its permits; stop the work, or take a new hold");

    private static final int TOO_MANY_REQUESTS = 429;

    private final HoldLimiters limiters;
    private final WaitingRequests waiting;

    /**
     * Creates the services for policies with in-flight limits.
     *
     * @param waiting bounds the requests that wait for permits
     */
    public HoldsApi(PolicyRegistry policies, WaitingRequests waiting) {
        this.limiters = new HoldLimiters(policies);
        this.waiting = waiting;
    }

    public void addTo(ServerBuilder server) {
        server.service("/v1/holds", post(this::take));
        server.service("/v1/holds/renew", post((ctx, body) -> HttpResponse.of(renew(body))));
        server.service("/v1/holds/release", post((ctx, body) -> HttpResponse.of(release(body))));
        server.service("/v1/holds/peek", post((ctx, body) -> HttpResponse.of(peek(body))));
    }

    private static HttpService post(BiFunction<ServiceRequestContext, byte[], HttpResponse> handler) {
        HttpService service = (ctx, request) -> {
            if (request.method() != HttpMethod.POST) {
                return Responses.methodNotAllowed(request.method(), "POST");
            }
            JsonBody.requireType(request.contentType());
            return HttpResponse.of(request.aggregate()
                    .thenApply(AggregatedHttpRequest::content)
                    .thenApply(content -> handler.apply(ctx, content.array())));
        };
        return service.decorate(new SameSiteOnly());
    }

    private HttpResponse take(ServiceRequestContext ctx, byte[] body) {
        TakeRequest request = TakeRequest.parse(body);
        AsyncInFlightLimiter limiter = limiters.named(request.policy());
        CompletableFuture<Hold> taken =
                request.maxWait().isZero() ? acquire(request, limiter) : await(ctx, request, limiter);
        HttpResponse response = HttpResponse.of(taken.thenApply(hold -> response(limiter, request, hold)));
        // A client that has disconnected will never release the hold.
        response.whenComplete().whenComplete((sent, failure) -> {
            if (failure != null && !taken.cancel(true)) {
                taken.thenAccept(Hold::close);
            }
        });
        return response;
    }

    private CompletableFuture<Hold> await(
            ServiceRequestContext ctx, TakeRequest request, AsyncInFlightLimiter limiter) {
        waiting.enter(TOO_MANY_REQUESTS);
        try {
            ctx.setRequestTimeout(TimeoutMode.EXTEND, request.maxWait());
            CompletableFuture<Hold> taken = acquire(request, limiter);
            taken.whenComplete((hold, failure) -> waiting.leave());
            return taken;
        } catch (RuntimeException e) {
            waiting.leave();
            throw e;
        }
    }

    private static CompletableFuture<Hold> acquire(TakeRequest request, AsyncInFlightLimiter limiter) {
        return orBadRequest(() -> request.sendTo(limiter)).toCompletableFuture();
    }

    private static HttpResponse response(AsyncInFlightLimiter limiter, TakeRequest request, Hold hold) {
        return hold.allowed()
                ? Responses.json(HoldJson.taken(limiter.policy(), hold, request.lease(limiter.policy())))
                : Responses.problem(
                        HoldDenied.of(limiter.policy(), hold, request.permits()),
                        HoldDenied.fields(hold, request.permits()));
    }

    private CompletionStage<HttpResponse> renew(byte[] body) {
        HeldRequest request = HeldRequest.renewal(body);
        AsyncInFlightLimiter limiter = limiters.forRelease(request.policy());
        return orBadRequest(() -> request.renew(limiter)).thenApply(held -> {
            if (!held) {
                throw new ProblemException(LOST);
            }
            return Responses.json(HoldJson.renewed(limiter.policy(), request.hold(), request.lease(limiter.policy())));
        });
    }

    private CompletionStage<HttpResponse> release(byte[] body) {
        HeldRequest request = HeldRequest.release(body);
        AsyncInFlightLimiter limiter = limiters.forRelease(request.policy());
        return orBadRequest(() -> request.release(limiter))
                .thenApply(held -> Responses.json(HoldJson.released(limiter.policy(), held)));
    }

    private CompletionStage<HttpResponse> peek(byte[] body) {
        PeekRequest request = PeekRequest.parse(body);
        AsyncInFlightLimiter limiter = limiters.named(request.policy());
        return orBadRequest(() -> limiter.peek(PermitRequest.of(request.toAttributes())))
                .thenApply(inFlight -> Responses.json(HoldJson.peeked(limiter.policy(), inFlight)));
    }

    /** Turns an IllegalArgumentException of the engine into a bad request, because its cause is an argument of the client. */
    private static <T> T orBadRequest(Supplier<T> call) {
        try {
            return call.get();
        } catch (IllegalArgumentException e) {
            throw ProblemException.badRequest(String.valueOf(e.getMessage()));
        }
    }
}
