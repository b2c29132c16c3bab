package io.headgate.spring.web.reactive;

import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.HttpHeaders;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.reactive.CorsConfigurationSource;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.cors.reactive.CorsWebFilter;
import org.springframework.web.cors.reactive.DefaultCorsProcessor;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Gives a denied response the CORS fields that the application configures for its path, as pages of other origins can't read it otherwise.
 * What usually writes these fields, a filter or the mapping of the request's handler, comes after the filter that denies.
 */
final class CorsFields {

    private final ObjectProvider<CorsWebFilter> filters;
    private final ObjectProvider<CorsConfigurationSource> sources;
    private final Supplier<List<HandlerMapping>> mappings;

    /**
     * Creates an instance.
     *
     * @param filters the application's filters for CORS
     * @param sources the configuration that Spring Security uses, if there is one
     * @param mappings the handler mappings, which apply the configuration of WebFlux and of controllers
     */
    CorsFields(
            ObjectProvider<CorsWebFilter> filters,
            ObjectProvider<CorsConfigurationSource> sources,
            Supplier<List<HandlerMapping>> mappings) {
        this.filters = filters;
        this.sources = sources;
        this.mappings = mappings;
    }

    /**
     * Adds the fields to the response, if the request is of another origin that the application allows. May also change its status.
     *
     * @param exposed the names of the fields that a page may read
     */
    Mono<Void> write(ServerWebExchange exchange, Collection<String> exposed) {
        if (!CorsUtils.isCorsRequest(exchange.getRequest())) {
            return Mono.empty();
        }
        return Flux.fromStream(filters::orderedStream)
                .concatMap(
                        filter -> isAllowed(exchange) ? Mono.empty() : filter.filter(exchange, handled -> Mono.empty()))
                .then(Mono.defer(() -> isAllowed(exchange) ? Mono.empty() : configured(exchange)))
                .onErrorComplete()
                .then(Mono.fromRunnable(() -> expose(exchange, exposed)));
    }

    private Mono<?> configured(ServerWebExchange exchange) {
        CorsConfigurationSource source = sources.getIfUnique();
        CorsConfiguration found = source == null ? null : source.getCorsConfiguration(exchange);
        if (found != null) {
            new DefaultCorsProcessor().process(found, exchange);
        }
        return isAllowed(exchange)
                ? Mono.empty()
                : Flux.fromIterable(mappings.get())
                        .concatMap(mapping -> mapping.getHandler(exchange))
                        .next();
    }

    private static void expose(ServerWebExchange exchange, Collection<String> names) {
        if (isAllowed(exchange) && !names.isEmpty()) {
            exchange.getResponse()
                    .getHeaders()
                    .add(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS, String.join(", ", names));
        }
    }

    private static boolean isAllowed(ServerWebExchange exchange) {
        return exchange.getResponse().getHeaders().getAccessControlAllowOrigin() != null;
    }
}
