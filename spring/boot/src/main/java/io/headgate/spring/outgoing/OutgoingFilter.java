package io.headgate.spring.outgoing;

import io.headgate.spring.internal.expression.ReactiveResults;
import io.headgate.spring.outgoing.OutgoingRoute.Prepared;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.springframework.http.HttpHeaders;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Limits the calls of a {@code WebClient} as {@link OutgoingLimits} describes, without blocking. A denied call is an error signal with the
 * exception; to cancel a call that waits ends the wait, and nothing is charged. In-flight permits are released when the body of the response
 * has been read or is cancelled, or the call fails. Safe for use by any number of threads.
 */
public final class OutgoingFilter implements ExchangeFilterFunction {

    private static final CallGrant UNLIMITED = new CallGrant.Unlimited();

    private final OutgoingLimits limits;

    OutgoingFilter(OutgoingLimits limits) {
        this.limits = limits;
    }

    @Override
    public Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
        OutgoingCall call = new OutgoingCall(request.method().name(), request.url(), request.headers());
        return limits.route(call)
                .map(route -> limited(route, call, () -> next.exchange(request)))
                .orElseGet(() -> next.exchange(request));
    }

    private static Mono<ClientResponse> limited(
            OutgoingRoute route, OutgoingCall call, Supplier<Mono<ClientResponse>> exchange) {
        return Mono.deferContextual(context -> {
            CallPermits permits = new CallPermits();
            return Mono.fromFuture(() -> route.prepare(call, ReactiveResults.stages(context)))
                    .flatMap(prepared ->
                            prepared.map(it -> grant(route, it, permits)).orElse(Mono.just(UNLIMITED)))
                    .flatMap(grant -> exchange.get().map(response -> received(route, grant, permits, response)))
                    .switchIfEmpty(Mono.fromRunnable(permits::end))
                    .doOnError(failure -> permits.end())
                    .doOnCancel(permits::cancel);
        });
    }

    private static Mono<CallGrant> grant(OutgoingRoute route, Prepared prepared, CallPermits permits) {
        Mono<Optional<CallGrant>> decision =
                Mono.defer(() -> decision(route.acquire(prepared), permits)).map(Optional::of);
        return decision.onErrorResume(failure -> {
                    route.notLimited(failure);
                    return Mono.just(Optional.empty());
                })
                .map(decided -> decided.map(route::requireAllowed).orElse(UNLIMITED));
    }

    /** The next filter must not run on a thread that ends waits, which it could block. */
    private static Mono<CallGrant> decision(CompletableFuture<CallGrant.Decided> decision, CallPermits permits) {
        decision.thenAccept(permits::granted);
        Mono<CallGrant> decided = Mono.fromFuture(decision).cast(CallGrant.class);
        return decision.isDone() ? decided : decided.publishOn(Schedulers.parallel());
    }

    private static ClientResponse received(
            OutgoingRoute route, CallGrant grant, CallPermits permits, ClientResponse response) {
        route.received(
                grant,
                response.statusCode().value(),
                response.headers().asHttpHeaders().getFirst(HttpHeaders.RETRY_AFTER));
        return grant instanceof CallGrant.Held
                ? response.mutate()
                        .body(body -> body.doOnSubscribe(subscription -> permits.reading())
                                .doFinally(signal -> permits.end()))
                        .build()
                : response;
    }
}
