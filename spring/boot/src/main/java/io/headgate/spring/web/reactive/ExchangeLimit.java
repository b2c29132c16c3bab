package io.headgate.spring.web.reactive;

import io.headgate.spring.web.MatchedPath;
import io.headgate.spring.web.internal.Outcome;
import io.headgate.spring.web.internal.Phase;
import io.headgate.spring.web.internal.RouteDecider;
import io.headgate.spring.web.internal.RouteDecision;
import io.headgate.spring.web.internal.RouteDecision.Admitted;
import io.headgate.spring.web.internal.RouteDecision.Denied;
import io.headgate.spring.web.internal.RouteDecision.NotLimited;
import io.headgate.spring.web.internal.Routes;
import java.security.Principal;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.ErrorResponse;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * The limit of a filter that selects exchanges itself. It decides each exchange that passes the filter, and again if an outer filter
 * repeats the exchange. It never blocks. Safe for use by any number of threads.
 */
public final class ExchangeLimit {

    private final Routes routes;
    private final RouteDecider decider;
    private final Principals principals;

    ExchangeLimit(Routes routes, RouteDecider decider, Principals principals) {
        this.routes = routes;
        this.decider = decider;
        this.principals = principals;
    }

    /**
     * Handles an exchange if it is admitted. Its rate-limit fields replace those that the handler sets. Permits are refunded by the status
     * that the response has when the handler completes; an error counts as its status, or 500.
     *
     * @param path what the application's route matched of the path
     * @param handler handles the exchange; called once for each subscription
     * @return completes as the handler does, or fails with the exception of a denied request, such as a {@link
     *     io.headgate.spring.web.LimitExceededException}
     */
    public Mono<Void> filter(ServerWebExchange exchange, MatchedPath path, Supplier<Mono<Void>> handler) {
        if (CorsUtils.isPreFlightRequest(exchange.getRequest())) {
            return handler.get();
        }
        Mono<Optional<Principal>> principal =
                routes.usesPrincipal() ? principals.of(exchange) : Mono.just(Optional.empty());
        return principal.flatMap(known -> Mono.deferContextual(context -> {
            ExchangeRequest request = new ExchangeRequest(exchange.getRequest(), context, known, path);
            return decided(request, exchange, handler, context.getOrDefault(RouteWebFilter.OBSERVATION, null));
        }));
    }

    private Mono<Void> decided(
            ExchangeRequest request,
            ServerWebExchange exchange,
            Supplier<Mono<Void>> handler,
            @Nullable Object observation) {
        CompletableFuture<RouteDecision> decision = decider.decideAsync(
                        request, Phase.AFTER_AUTHENTICATION, NotLimited.UNMATCHED, observation)
                .toCompletableFuture();
        if (decision.isDone()) {
            return proceed(decision.join(), exchange, handler);
        }
        // The application must not run on a thread of the engine, which it could block.
        return Mono.fromFuture(decision.thenApplyAsync(late -> late, ExchangeLimit::schedule), true)
                .flatMap(late -> proceed(late, exchange, handler));
    }

    private static Mono<Void> proceed(
            RouteDecision decision, ServerWebExchange exchange, Supplier<Mono<Void>> handler) {
        if (decision instanceof Denied denied) {
            ExchangeState.of(exchange).denied();
            // Not on the event loop, for the reason that RouteWebFilter has.
            return Mono.create(sink -> schedule(() -> sink.error(denied.exception())));
        }
        if (!(decision instanceof Admitted admitted)) {
            return handler.get();
        }
        ExchangeState.of(exchange).replaceFields(admitted.fields(), exchange.getResponse());
        if (!admitted.dependsOnOutcome()) {
            return handler.get();
        }
        // The response does not wait for the refund.
        return handler.get()
                .doOnSuccess(nothing -> refund(admitted, exchange.getResponse().getStatusCode()))
                .doOnError(e -> refund(
                        admitted,
                        e instanceof ErrorResponse response
                                ? response.getStatusCode()
                                : HttpStatus.INTERNAL_SERVER_ERROR));
    }

    /** The task is never cancelled, as that would interrupt a thread that writes the response of the denial. */
    private static void schedule(Runnable task) {
        Schedulers.parallel().schedule(task);
    }

    private static void refund(Admitted admitted, @Nullable HttpStatusCode status) {
        admitted.refund(new Outcome(status == null ? HttpStatus.OK.value() : status.value(), false));
    }
}
