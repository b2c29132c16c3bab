package io.headgate.spring.web.internal;

import io.headgate.http.Problem;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limiter;
import io.headgate.spring.web.LimitExceededException;
import io.headgate.spring.web.RejectedRequestException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.springframework.web.ErrorResponseException;

/** What the routes of one phase decided about a request. */
public sealed interface RouteDecision {

    /** Returns whether a route matched the request. */
    default boolean matched() {
        return true;
    }

    /**
     * The request is not limited.
     *
     * @param matched whether a route matched nevertheless
     */
    record NotLimited(boolean matched) implements RouteDecision {

        /** No route matches the request. */
        public static final RouteDecision UNMATCHED = new NotLimited(false);
    }

    /**
     * The request is denied.
     *
     * @param status the status of the response, 400 to 599
     * @param fields the header fields of the response by name
     * @param problem the body of the response
     * @param decisions the decisions of all policies, the decisive one first; empty if no limiter decided
     */
    record Denied(int status, Map<String, String> fields, Problem problem, List<Decision> decisions)
            implements RouteDecision {

        /** Returns the exception that an application may handle; a {@link LimitExceededException} if a limiter decided. */
        public ErrorResponseException exception() {
            return decisions.isEmpty()
                    ? new RejectedRequestException(problem)
                    : new LimitExceededException(problem, fields, decisions);
        }
    }

    /** The request is admitted, and its permits are charged. Immutable and safe for use by several threads. */
    final class Admitted implements RouteDecision {

        /** The permits that one route charged. */
        record Charge(Route route, Limiter limiter, Attributes attributes, Decision decision) {}

        private final List<Charge> charges;
        private final Map<String, String> fields;

        Admitted(List<Charge> charges, Map<String, String> fields) {
            this.charges = List.copyOf(charges);
            this.fields = fields;
        }

        List<Charge> charges() {
            return charges;
        }

        /** Returns the header fields of the response by name. */
        public Map<String, String> fields() {
            return fields;
        }

        /** Returns whether permits may be refunded by the outcome; if not, {@link #refund} does nothing. */
        public boolean dependsOnOutcome() {
            for (Charge charge : charges) {
                if (!charge.route().refundOn().isEmpty()) {
                    return true;
                }
            }
            return false;
        }

        /**
         * Refunds the permits of the routes that refund this outcome. A second call refunds nothing.
         *
         * @return a stage that completes when all refunds have ended. It never fails: a failure is logged
         */
        public CompletionStage<Void> refund(Outcome outcome) {
            return refund(charge -> charge.route().refundOn().matches(outcome));
        }

        /** Refunds all permits, for a request that was denied later. The stage never fails. */
        CompletionStage<Void> refundAll() {
            return refund(charge -> true);
        }

        private CompletionStage<Void> refund(Predicate<Charge> which) {
            return CompletableFuture.allOf(
                    charges.stream().filter(which).map(Admitted::refund).toArray(CompletableFuture<?>[]::new));
        }

        private static CompletableFuture<?> refund(Charge charge) {
            CompletionStage<Long> refunded;
            try {
                refunded = charge.limiter().async().refund(charge.attributes(), charge.decision());
            } catch (RuntimeException e) {
                refunded = CompletableFuture.failedFuture(e);
            }
            return refunded.<Object>thenApply(permits -> permits)
                    .exceptionally(e -> {
                        charge.route().failures().failed(".refund-on", "the permits are not refunded", e);
                        return 0L;
                    })
                    .toCompletableFuture();
        }
    }
}
