package io.headgate.spring.web.reactive;

import io.headgate.config.PolicyRegistry;
import io.headgate.limits.LimitEngine;
import io.headgate.spring.internal.expression.ReactiveResults;
import io.headgate.spring.web.WebProperties;
import io.headgate.spring.web.internal.Phase;
import io.headgate.spring.web.internal.RouteCompiler;
import io.headgate.spring.web.internal.RouteDecider;
import io.headgate.spring.web.internal.RouteDecision;
import io.headgate.spring.web.internal.RouteDecision.Admitted;
import io.headgate.spring.web.internal.RouteDecision.Denied;
import io.headgate.spring.web.internal.RouteDecision.NotLimited;
import io.headgate.spring.web.internal.Routes;
import java.security.Principal;
import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Creates filters that limit exchanges by a route of their own, for gateways. A denial is an error signal, so that the application's
 * handlers of exceptions, and filters that repeat a request, receive it. Safe for use by any number of threads.
 */
public final class ExchangeLimits {

    private final WebProperties properties;
    private final PolicyRegistry registry;
    private final LimitEngine engine;
    private final BeanFactory beans;
    private final Principals principals;

    ExchangeLimits(
            WebProperties properties,
            PolicyRegistry registry,
            LimitEngine engine,
            BeanFactory beans,
            Principals principals) {
        this.properties = properties;
        this.registry = registry;
        this.engine = engine;
        this.beans = beans;
        this.principals = principals;
    }

    /** Limits exchanges. Safe for use by any number of threads. */
    public interface Filter {

        /**
         * Decides an exchange, and continues if it is admitted.
         *
         * @param next the rest of the chain
         */
        Mono<Void> filter(ServerWebExchange exchange, Supplier<Mono<Void>> next);
    }

    /**
     * Creates a filter.
     *
     * @param property what the route is called in errors and logs
     * @throws io.headgate.config.ConfigException if the route is wrong
     */
    public Filter filter(String property, WebProperties.Route route) {
        Routes routes =
                RouteCompiler.compileOne(properties, property, route, registry, beans, ReactiveResults.stages());
        RouteDecider decider = new RouteDecider(routes, registry, engine, properties.reset());
        return (exchange, next) -> {
            if (CorsUtils.isPreFlightRequest(exchange.getRequest())) {
                return next.get();
            }
            Mono<Optional<Principal>> principal =
                    routes.usesPrincipal() ? principals.of(exchange) : Mono.just(Optional.empty());
            return principal
                    .flatMap(known -> decision(decider, exchange, known))
                    .flatMap(decision -> proceed(decision, exchange, next));
        };
    }

    private static Mono<RouteDecision> decision(
            RouteDecider decider, ServerWebExchange exchange, Optional<Principal> principal) {
        return Mono.deferContextual(context -> {
            ExchangeRequest request = new ExchangeRequest(exchange.getRequest(), context, principal);
            var decision = decider.decideAsync(request, Phase.AFTER_AUTHENTICATION, NotLimited.UNMATCHED)
                    .toCompletableFuture();
            // The application must not run on a thread of the engine, which it could block.
            return decision.isDone()
                    ? Mono.just(decision.join())
                    : Mono.fromFuture(decision, true).publishOn(Schedulers.parallel());
        });
    }

    private static Mono<Void> proceed(RouteDecision decision, ServerWebExchange exchange, Supplier<Mono<Void>> next) {
        if (decision instanceof Denied denied) {
            return Mono.error(denied.thrown());
        }
        if (decision instanceof Admitted admitted) {
            ExchangeState state = ExchangeState.of(exchange);
            state.replaceFields();
            state.admitted(admitted, exchange.getResponse());
        }
        return next.get();
    }
}
