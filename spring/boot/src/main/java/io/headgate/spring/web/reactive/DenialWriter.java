package io.headgate.spring.web.reactive;

import io.headgate.spring.internal.FailureLog;
import io.headgate.spring.web.internal.DenialHandlers;
import io.headgate.spring.web.internal.RouteDecision.Denied;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.core.Ordered;
import org.springframework.http.MediaType;
import org.springframework.http.codec.HttpMessageWriter;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.function.BodyInserter;
import org.springframework.web.reactive.function.BodyInserters;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Writes the responses of denied requests: by the application's own handler of the exception, or as a problem with the application's
 * codecs.
 */
final class DenialWriter {

    private static final FailureLog FAILURES = new FailureLog("the response of a denied request");

    private final CorsFields cors;
    private final DenialHandlers handlers;
    private final Optional<DispatcherHandler> dispatcher;
    private final List<HttpMessageWriter<?>> writers;

    /**
     * Creates a writer.
     *
     * @param dispatcher handles exceptions; must have a {@link Mapping}
     * @param writers the application's codecs
     */
    DenialWriter(
            CorsFields cors,
            DenialHandlers handlers,
            Optional<DispatcherHandler> dispatcher,
            List<HttpMessageWriter<?>> writers) {
        this.cors = cors;
        this.handlers = handlers;
        this.dispatcher = dispatcher;
        this.writers = List.copyOf(writers);
    }

    /** Writes the response. */
    Mono<Void> write(Denied denied, ServerWebExchange exchange) {
        ErrorResponseException exception = denied.exception();
        return cors.write(exchange, denied.fields().keySet()).then(Mono.defer(() -> {
            exchange.getResponse().setStatusCode(exception.getStatusCode());
            return dispatcher.isPresent() && handlers.handle(exception)
                    ? handledByApplication(exception, exchange, dispatcher.get())
                    : problem(exception, exchange);
        }));
    }

    /** Writes the response of a call that was denied while its request was handled. */
    Mono<Void> writeCall(ErrorResponseException denial, ServerWebExchange exchange) {
        // Its fields replace those of a route that admitted the request.
        ExchangeState.of(exchange).denied();
        List<String> fields = new ArrayList<>();
        denial.getHeaders().forEach((name, values) -> fields.add(name));
        return cors.write(exchange, fields).then(Mono.defer(() -> problem(denial, exchange)));
    }

    private Mono<Void> handledByApplication(
            ErrorResponseException exception, ServerWebExchange exchange, DispatcherHandler handler) {
        exchange.getAttributes().put(Mapping.ATTRIBUTE, exception);
        return handler.handle(exchange).onErrorResume(e -> {
            if (exchange.getResponse().isCommitted()) {
                return Mono.error(e);
            }
            if (e != exception) {
                FAILURES.failed("", "the problem is sent", e);
            }
            return problem(exception, exchange);
        });
    }

    private Mono<Void> problem(ErrorResponseException exception, ServerWebExchange exchange) {
        ServerHttpResponse response = exchange.getResponse();
        response.setStatusCode(exception.getStatusCode());
        exception
                .getHeaders()
                .forEach((name, values) ->
                        values.forEach(value -> response.getHeaders().set(name, value)));
        response.getHeaders().setContentType(MediaType.APPLICATION_PROBLEM_JSON);
        return BodyInserters.fromValue(exception.getBody())
                .insert(response, new Writers(writers, exchange.getRequest()))
                .onErrorResume(e -> {
                    if (response.isCommitted()) {
                        return Mono.error(e);
                    }
                    FAILURES.failed("", "it is sent without a body", e);
                    response.getHeaders().clearContentHeaders();
                    return response.setComplete();
                });
    }

    private record Writers(List<HttpMessageWriter<?>> messageWriters, ServerHttpRequest request)
            implements BodyInserter.Context {

        @Override
        public Optional<ServerHttpRequest> serverRequest() {
            return Optional.of(request);
        }

        @Override
        public Map<String, Object> hints() {
            return Map.of();
        }
    }

    /**
     * Fails to find the handler of a denied request, with the exception of the denial: WebFlux handles it as any exception, in {@code
     * @ExceptionHandler} methods. It handles no exception of a filter.
     */
    static final class Mapping implements HandlerMapping, Ordered {

        private static final String ATTRIBUTE = Mapping.class.getName();

        @Override
        public Mono<Object> getHandler(ServerWebExchange exchange) {
            Object exception = exchange.getAttribute(ATTRIBUTE);
            return exception instanceof ErrorResponseException denial ? Mono.error(denial) : Mono.empty();
        }

        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }
    }
}
