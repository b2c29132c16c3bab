package io.headgate.spring.web.reactive;

import io.headgate.spring.web.internal.Phase;
import io.headgate.spring.web.internal.RouteDecider;
import io.headgate.spring.web.internal.RouteDecision;
import io.headgate.spring.web.internal.RouteDecision.Admitted;
import io.headgate.spring.web.internal.RouteDecision.Denied;
import io.headgate.spring.web.internal.Routes;
import java.security.Principal;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Decides the requests of WebFlux in one phase. An application has a filter before the one of Spring Security, and one after it. It never
 * blocks the thread of a request.
 *
 * <p>If the client closes the connection while a request waits for its decision, the wait ends. The decision itself is made to its end, as
 * a part of it may refund permits of the earlier phase; permits that it charges stay charged.
 */
final class RouteWebFilter implements WebFilter, Ordered {

    /** The order of Spring Security's filter, {@code WebFilterChainProxy}. */
    private static final int SECURITY_ORDER = -100;

    /** The key of the observation of a request in the context of its subscriber. */
    static final String OBSERVATION = "micrometer.observation";

    private final Phase phase;
    private final Routes routes;
    private final RouteDecider decider;
    private final Principals principals;
    private final DenialWriter denials;
    private final String management;

    /** Creates a filter of an application; its context has the id that the one for management adds a suffix to. */
    RouteWebFilter(
            Phase phase,
            Routes routes,
            RouteDecider decider,
            Principals principals,
            DenialWriter denials,
            ApplicationContext application) {
        this.phase = phase;
        this.routes = routes;
        this.decider = decider;
        this.principals = principals;
        this.denials = denials;
        this.management = application.getId() + ":management";
    }

    @Override
    public int getOrder() {
        return phase == Phase.BEFORE_AUTHENTICATION ? SECURITY_ORDER - 1 : SECURITY_ORDER + 1;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        if (CorsUtils.isPreFlightRequest(exchange.getRequest()) || isManagement(exchange)) {
            return chain.filter(exchange);
        }
        ExchangeState state = ExchangeState.of(exchange);
        if (!state.begin(phase)) {
            return chain.filter(exchange);
        }
        Mono<Optional<Principal>> principal = phase == Phase.AFTER_AUTHENTICATION && routes.usesPrincipal()
                ? principals.of(exchange)
                : Mono.just(Optional.empty());
        return principal.flatMap(known -> Mono.deferContextual(context -> limit(
                new ExchangeRequest(exchange.getRequest(), context, known),
                exchange,
                chain,
                state,
                context.getOrDefault(OBSERVATION, null))));
    }

    /** Actuator on a port of its own has a child context, which also has the filters of the application. */
    private boolean isManagement(ServerWebExchange exchange) {
        ApplicationContext context = exchange.getApplicationContext();
        return context != null && management.equals(context.getId());
    }

    private Mono<Void> limit(
            ExchangeRequest request,
            ServerWebExchange exchange,
            WebFilterChain chain,
            ExchangeState state,
            @Nullable Object observation) {
        CompletableFuture<RouteDecision> decision = decider.decideAsync(request, phase, state.decision(), observation)
                .toCompletableFuture();
        if (decision.isDone()) {
            return proceed(decision.join(), exchange, chain, state);
        }
        // The application must not run on a thread of the engine, which it could block.
        return Mono.fromFuture(decision, true)
                .publishOn(Schedulers.parallel())
                .flatMap(decided -> proceed(decided, exchange, chain, state));
    }

    private Mono<Void> proceed(
            RouteDecision decision, ServerWebExchange exchange, WebFilterChain chain, ExchangeState state) {
        if (decision instanceof Denied denied) {
            state.denied();
            // On the event loop, a response could be complete before Netty has finished the last one of its connection.
            // Some versions
            // of Reactor Netty never read from that connection again.
            return denials.write(denied, exchange).subscribeOn(Schedulers.parallel());
        }
        if (decision instanceof Admitted admitted) {
            state.admitted(admitted, exchange.getResponse());
        } else {
            state.notLimited(decision);
        }
        return chain.filter(exchange);
    }
}
