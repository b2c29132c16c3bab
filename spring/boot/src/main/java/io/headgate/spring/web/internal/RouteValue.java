package io.headgate.spring.web.internal;

import io.headgate.http.attributes.ResolvedValue;
import io.headgate.http.attributes.ResolvedValue.Absent;
import io.headgate.http.attributes.ResolvedValue.Reason;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A value of a route. Immutable and safe for use by any number of threads. */
@FunctionalInterface
interface RouteValue {

    /** Finds the value. The future is complete unless the value is looked up asynchronously, and never fails. */
    CompletableFuture<ResolvedValue> resolve(RouteRequest request);

    /** The value of a resolver of the application that failed. A client may be able to cause that. */
    Absent FAILED = new Absent(Reason.MISSING, "it is unavailable");

    /** Returns a value that is the first of these which is not missing; if all are, the last one, or {@link #FAILED} if one has failed. */
    static RouteValue firstOf(List<RouteValue> values) {
        return values.size() == 1 ? values.get(0) : request -> firstOf(values, 0, request);
    }

    private static CompletableFuture<ResolvedValue> firstOf(List<RouteValue> values, int index, RouteRequest request) {
        CompletableFuture<ResolvedValue> value = values.get(index).resolve(request);
        return index == values.size() - 1
                ? value
                : value.thenCompose(found -> isMissing(found)
                        ? firstOf(values, index + 1, request)
                                .thenApply(next -> found.equals(FAILED) && isMissing(next) ? found : next)
                        : CompletableFuture.completedFuture(found));
    }

    private static boolean isMissing(ResolvedValue value) {
        return value instanceof Absent absent && absent.reason() == Reason.MISSING;
    }
}
