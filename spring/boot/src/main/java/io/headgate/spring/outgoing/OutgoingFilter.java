package io.headgate.spring.outgoing;

import io.headgate.limits.Decision;
import io.headgate.spring.outgoing.OutgoingRoute.Admitted;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.springframework.http.HttpHeaders;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Limits the calls of a {@code WebClient} as {@link OutgoingLimits} describes, without blocking. A denied call is an error signal with a
 * {@link io.headgate.spring.web.LimitExceededException}; to cancel a call that waits ends the wait, and nothing is charged. Safe for use by
 * any number of threads.
 */
public final class OutgoingFilter implements ExchangeFilterFunction {

    private final OutgoingLimits limits;

    OutgoingFilter(OutgoingLimits limits) {
        this.limits = limits;
    }

    @Override
    public Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
        OutgoingCall call = new OutgoingCall(request.method().name(), request.url(), request.headers());
        return limits.route(call)
                .map(route -> admitted(route, call).flatMap(admitted -> next.exchange(request)
                        .doOnNext(response -> received(route, admitted, response))))
                .orElseGet(() -> next.exchange(request));
    }

    private static Mono<Admitted> admitted(OutgoingRoute route, OutgoingCall call) {
        return Mono.fromFuture(() -> route.prepare(call))
                .flatMap(prepared ->
                        prepared.map(limited -> permits(route, limited)).orElse(Mono.just(Admitted.UNLIMITED)));
    }

    private static Mono<Admitted> permits(OutgoingRoute route, Admitted limited) {
        Mono<Optional<Decision>> decision =
                Mono.defer(() -> decision(route.acquire(limited))).map(Optional::of);
        return decision.onErrorResume(failure -> {
                    route.notLimited(failure);
                    return Mono.just(Optional.empty());
                })
                .map(decided -> decided.map(it -> route.admitted(limited, it)).orElse(Admitted.UNLIMITED));
    }

    /** The next filter must not run on a thread that ends waits, which it could block. */
    private static Mono<Decision> decision(CompletableFuture<Decision> decision) {
        Mono<Decision> decided = Mono.fromFuture(decision);
        return decision.isDone() ? decided : decided.publishOn(Schedulers.parallel());
    }

    private static void received(OutgoingRoute route, Admitted admitted, ClientResponse response) {
        route.received(
                admitted,
                response.statusCode().value(),
                response.headers().asHttpHeaders().getFirst(HttpHeaders.RETRY_AFTER));
    }
}
