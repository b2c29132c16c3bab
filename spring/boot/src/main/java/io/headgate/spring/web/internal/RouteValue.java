package io.headgate.spring.web.internal;

import io.headgate.http.attributes.ResolvedValue;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A value of a route. Immutable and safe for use by any number of threads. */
@FunctionalInterface
interface RouteValue {

    /** Finds the value. The future is complete unless the value is looked up asynchronously, and never fails. */
    CompletableFuture<ResolvedValue> resolve(RouteRequest request);

    /** Returns a value that is the first of these which is not missing; if all are, the last one. */
    static RouteValue firstOf(List<RouteValue> values) {
        return values.size() == 1 ? values.get(0) : request -> firstOf(values, 0, request);
    }

    private static CompletableFuture<ResolvedValue> firstOf(List<RouteValue> values, int index, RouteRequest request) {
        CompletableFuture<ResolvedValue> value = values.get(index).resolve(request);
        return index == values.size() - 1
                ? value
                : value.thenCompose(found ->
                        found instanceof ResolvedValue.Absent absent && absent.reason() == ResolvedValue.Reason.MISSING
                                ? firstOf(values, index + 1, request)
                                : CompletableFuture.completedFuture(found));
    }
}
