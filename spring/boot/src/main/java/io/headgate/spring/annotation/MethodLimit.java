package io.headgate.spring.annotation;

import io.headgate.limits.Attributes;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.spring.internal.FailureLog;
import io.headgate.spring.internal.PolicyProblems;
import io.headgate.spring.internal.RequestValues;
import io.headgate.spring.internal.expression.Expression;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A compiled annotation of a method. It names its policy, and has no limiter: the policy may be replaced at any time. Safe for use by any
 * number of threads.
 *
 * @param values the dimensions with their values
 * @param permits the number of permits; null for one
 * @param maxWait zero if calls do not wait
 * @param waiting how many calls wait now
 * @param fallback answers denied calls; null if they throw an exception
 */
record MethodLimit(
        boolean inFlight,
        String policy,
        List<Value> values,
        @Nullable Expression permits,
        Duration maxWait,
        int maxWaiting,
        AtomicInteger waiting,
        @Nullable FallbackMethod fallback,
        FailureLog failures) {

    private static final String TOGETHER = "the call counts together with others whose value is absent";
    private static final String ABSENT = RequestValues.ABSENT + "unknown";

    /** A dimension and its value. */
    record Value(String dimension, Expression expression) {}

    /** Starts to wait; returns false if the call must be decided at once. Call {@link #endWait} afterwards if true. */
    boolean startWait() {
        if (maxWait.isZero()) {
            return false;
        }
        if (waiting.incrementAndGet() > maxWaiting) {
            waiting.decrementAndGet();
            return false;
        }
        return true;
    }

    void endWait() {
        waiting.decrementAndGet();
    }

    /**
     * Returns the request of a call; empty if the call needs no permits. It is complete unless an expression is asynchronous, and never
     * fails: all calls with an absent value count as one, and a call whose permits fail needs one.
     */
    CompletableFuture<Optional<PermitRequest>> request(MethodCall call) {
        if (permits == null) {
            return attributes(call).thenApply(attributes -> Optional.of(PermitRequest.of(attributes)));
        }
        return number(permits, call)
                .thenCompose(number -> number == 0
                        ? CompletableFuture.completedFuture(Optional.empty())
                        : attributes(call)
                                .thenApply(attributes ->
                                        Optional.of(PermitRequest.of(attributes).withPermits(number))));
    }

    /** Returns a request with a value of each dimension of the policy, which may have others than at the start. */
    PermitRequest complete(PermitRequest request, Policy now) {
        PermitRequest complete = request;
        for (Rule rule : now.rules()) {
            complete = complete(complete, complete.attributesFor(now), rule.dimensions());
        }
        return complete;
    }

    /** Returns a request with a value of each dimension of the policy, as {@link #complete(PermitRequest, Policy)}. */
    PermitRequest complete(PermitRequest request, InFlightPolicy now) {
        PermitRequest complete = request;
        for (InFlightRule rule : now.rules()) {
            complete = complete(complete, complete.attributesFor(now), rule.dimensions());
        }
        return complete;
    }

    private PermitRequest complete(PermitRequest request, Attributes given, List<String> dimensions) {
        PermitRequest complete = request;
        Attributes attributes = given;
        for (String dimension : dimensions) {
            if (!attributes.asMap().containsKey(dimension)) {
                failures.failed(
                        ".by." + dimension,
                        TOGETHER,
                        new IllegalStateException("the policy needs a value since it was replaced"));
                attributes = attributes.with(dimension, ABSENT);
                complete = PermitRequest.of(attributes).withPermits(request.permits());
            }
        }
        return complete;
    }

    private CompletableFuture<Long> number(Expression number, MethodCall call) {
        return call.evaluate(number).thenApply(this::number).exceptionally(e -> {
            failures.failed(".permits", "the call needs 1 permit", e);
            return 1L;
        });
    }

    private long number(Optional<Object> result) {
        long number = RequestValues.permits(present(result));
        if (number < 0) {
            throw new IllegalArgumentException("must be at least 0, but was " + number);
        }
        return inFlight ? Math.min(number, PolicyProblems.MAX_HELD) : number;
    }

    private CompletableFuture<Attributes> attributes(MethodCall call) {
        if (values.isEmpty()) {
            return CompletableFuture.completedFuture(Attributes.none());
        }
        List<CompletableFuture<String>> found = new ArrayList<>(values.size());
        for (Value value : values) {
            found.add(text(value, call));
        }
        return CompletableFuture.allOf(found.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> {
                    Map<String, String> attributes = new HashMap<>();
                    for (int i = 0; i < values.size(); i++) {
                        attributes.put(values.get(i).dimension(), found.get(i).join());
                    }
                    return Attributes.of(attributes);
                });
    }

    private CompletableFuture<String> text(Value value, MethodCall call) {
        return call.evaluate(value.expression()).thenApply(MethodLimit::text).exceptionally(e -> {
            failures.failed(".by." + value.dimension(), TOGETHER, e);
            return ABSENT;
        });
    }

    private static String text(Optional<Object> result) {
        String text = RequestValues.text(present(result));
        if (text.isEmpty()) {
            throw new IllegalStateException("the value is empty");
        }
        return text.startsWith(RequestValues.ABSENT) ? ABSENT : text;
    }

    private static Object present(Optional<Object> result) {
        return result.orElseThrow(() -> new IllegalStateException("the value is null"));
    }
}
