package io.headgate.spring.web.reactive;

import io.headgate.spring.web.InFlightExceededException;
import io.headgate.spring.web.LimitExceededException;
import io.headgate.spring.web.RejectedRequestException;
import io.headgate.spring.web.internal.DenialHandlers;
import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.core.Ordered;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;

/**
 * Answers requests in which a call of a method was denied, as those that a route denies: after the handlers of the application, and as an
 * advice before its handlers of all exceptions.
 */
@ControllerAdvice
final class DeniedCalls implements WebExceptionHandler, DenialHandlers.Default, Ordered {

    private final Supplier<DenialWriter> writer;
    private final DenialHandlers handlers;

    /**
     * Creates an instance.
     *
     * @param writer is asked for at the first denial, because it needs the dispatcher, which needs all advices
     */
    DeniedCalls(Supplier<DenialWriter> writer, DenialHandlers handlers) {
        this.writer = SingletonSupplier.of(writer);
        this.handlers = handlers;
    }

    /** Comes first, unless an advice of the application handles denials. */
    @Override
    public int getOrder() {
        return handlers.areInAdvice(LimitExceededException.class)
                        || handlers.areInAdvice(InFlightExceededException.class)
                ? LOWEST_PRECEDENCE
                : HIGHEST_PRECEDENCE;
    }

    @ExceptionHandler({LimitExceededException.class, InFlightExceededException.class, RejectedRequestException.class})
    Mono<Void> denied(ErrorResponseException denial, ServerWebExchange exchange) {
        return writer.get().writeCall(denial, exchange);
    }

    @Override
    public Mono<Void> handle(ServerWebExchange exchange, Throwable thrown) {
        Optional<ErrorResponseException> denial = DenialHandlers.denial(thrown);
        return denial.isPresent() && !exchange.getResponse().isCommitted()
                ? denied(denial.get(), exchange)
                : Mono.error(thrown);
    }
}
