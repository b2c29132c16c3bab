package io.headgate.spring.web.reactive;

import io.headgate.spring.web.internal.Outcome;
import io.headgate.spring.web.internal.Phase;
import io.headgate.spring.web.internal.RouteDecision;
import io.headgate.spring.web.internal.RouteDecision.Admitted;
import io.headgate.spring.web.internal.RouteDecision.NotLimited;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * The decisions about an exchange. Its filters run one after the other, so only what the response reads has to be safe for use by several
 * threads.
 *
 * <p>Fields are sent and permits refunded when the response begins, as only then the status is final: the handlers of exceptions run after
 * all filters. An exchange that is cancelled before has no outcome, so that its permits stay charged.
 */
final class ExchangeState {

    private static final String ATTRIBUTE = ExchangeState.class.getName();

    private final Set<Phase> decided = EnumSet.noneOf(Phase.class);
    private volatile List<Admitted> admitted = List.of();
    private volatile RouteDecision decision = NotLimited.UNMATCHED;
    private volatile Map<String, String> fields = Map.of();
    private volatile boolean replaces;
    private boolean writes;

    private ExchangeState() {}

    /** Returns the state of an exchange, which also filters that replace the exchange share. */
    static ExchangeState of(ServerWebExchange exchange) {
        ExchangeState state = exchange.getAttribute(ATTRIBUTE);
        if (state == null) {
            state = new ExchangeState();
            exchange.getAttributes().put(ATTRIBUTE, state);
        }
        return state;
    }

    /** Begins a phase; returns false if the exchange has passed it already, as when a filter repeats those behind it. */
    boolean begin(Phase phase) {
        return decided.add(phase);
    }

    RouteDecision decision() {
        return decision;
    }

    void admitted(Admitted charged, ServerHttpResponse response) {
        write(response);
        admitted = Stream.concat(admitted.stream(), Stream.of(charged)).toList();
        fields = charged.fields();
        decision = charged;
    }

    /** Sends these fields in place of those of the handler. A later call replaces them, as when a filter repeats the request. */
    void replaceFields(Map<String, String> next, ServerHttpResponse response) {
        write(response);
        fields = next;
        replaces = true;
    }

    private void write(ServerHttpResponse response) {
        if (!writes) {
            writes = true;
            response.beforeCommit(() -> beforeCommit(response));
        }
    }

    void notLimited(RouteDecision next) {
        decision = next.matched() ? next : decision;
    }

    /** Does not send the fields of an earlier phase. */
    void denied() {
        fields = Map.of();
    }

    private Mono<Void> beforeCommit(ServerHttpResponse response) {
        HttpHeaders headers = response.getHeaders();
        fields.forEach((name, value) -> {
            // A handler may have set fields of its own.
            if (replaces || headers.getFirst(name) == null) {
                headers.set(name, value);
            }
        });
        HttpStatusCode status = response.getStatusCode();
        Outcome outcome = new Outcome(status == null ? HttpStatus.OK.value() : status.value(), false);
        for (Admitted charged : admitted) {
            if (charged.dependsOnOutcome()) {
                // The response does not wait. The permits are returned before the client's next request, unless it is
                // very fast.
                charged.refund(outcome);
            }
        }
        return Mono.empty();
    }
}
