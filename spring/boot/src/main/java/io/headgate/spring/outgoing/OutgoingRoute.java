package io.headgate.spring.outgoing;

import io.headgate.config.PolicyRegistry;
import io.headgate.http.Problem;
import io.headgate.http.RateLimitFields;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.spring.internal.DecisionObserver;
import io.headgate.spring.internal.FailureLog;
import io.headgate.spring.internal.PolicyProblems;
import io.headgate.spring.internal.RequestValues;
import io.headgate.spring.web.InFlightExceededException;
import io.headgate.spring.web.LimitExceededException;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.web.ErrorResponseException;

/** Decides the calls of one route, and pauses them if the partner requires it. Safe for use by any number of threads. */
final class OutgoingRoute {

    private static final Clock CLOCK = Clock.systemUTC();
    private static final String BUSY = "A service that is needed for this request is busy.";
    private static final CallGrant UNLIMITED = new CallGrant.Unlimited();
    private static final String UNKNOWN = RequestValues.ABSENT + "unknown";

    /** Finds the value of a dimension. */
    interface Value {

        /**
         * Returns the value. The future is empty if the call has none, and may fail.
         *
         * @param results converts results of expressions; null for the conversion of their parser
         */
        CompletableFuture<Optional<String>> of(OutgoingCall call, @Nullable UnaryOperator<Object> results);
    }

    /**
     * What a route does with calls that have permits.
     *
     * @param pauseOn the statuses that pause the calls; empty for 429 if the policy is pausable
     * @param pauseBy the dimensions by which they are paused; empty for all of the policy
     */
    record Settings(
            long permits,
            Duration maxWait,
            int maxWaiting,
            int status,
            Optional<Set<Integer>> pauseOn,
            Optional<List<String>> pauseBy,
            Duration maxPause) {}

    /** A call with the values by which its policy counts. */
    record Prepared(CallLimiter limiter, PermitRequest request) {}

    private static final int TOO_MANY_REQUESTS = 429;

    private final Predicate<OutgoingCall> matches;
    private final String policy;
    private final Map<String, Value> by;
    private final Settings settings;
    private final PolicyRegistry registry;
    private final DecisionObserver observer;
    private final FailureLog failures;
    private final AtomicInteger waiting = new AtomicInteger();

    /** The pauses that are being written. */
    private final Set<Attributes> pausing = ConcurrentHashMap.newKeySet();

    /**
     * Creates a route.
     *
     * @param property the property of the route, for logs
     * @param policy the name of the policy, or {@code none}
     */
    OutgoingRoute(
            String property,
            Predicate<OutgoingCall> matches,
            String policy,
            Map<String, Value> by,
            Settings settings,
            PolicyRegistry registry,
            DecisionObserver observer) {
        this.matches = matches;
        this.policy = policy;
        this.by = Map.copyOf(by);
        this.settings = settings;
        this.registry = registry;
        this.observer = observer;
        this.failures = new FailureLog(property);
    }

    boolean matches(OutgoingCall call) {
        return matches.test(call);
    }

    boolean isUnlimited() {
        return policy.equals(PolicyProblems.NONE);
    }

    /**
     * Waits for permits, and returns those of the call.
     *
     * @throws ErrorResponseException if there are none in time
     * @throws InterruptedException if the thread is interrupted meanwhile; nothing is charged or held
     */
    CallGrant admit(OutgoingCall call) throws InterruptedException {
        Optional<CallLimiter> limiter = limiter();
        if (limiter.isEmpty()) {
            return UNLIMITED;
        }
        Duration maxWait = beginWait();
        CallGrant grant;
        try {
            grant = acquired(limiter.get(), request(limiter.get(), call, null).join(), maxWait);
        } catch (RuntimeException e) {
            notLimited(e);
            return UNLIMITED;
        } finally {
            waiting.decrementAndGet();
        }
        return requireAllowed(grant);
    }

    private CallGrant acquired(CallLimiter limiter, PermitRequest request, Duration maxWait)
            throws InterruptedException {
        return observer.isEnabled()
                ? DecisionObserver.await(observer.observe(limiter.acquireAsync(request, maxWait), CallGrant::outcome))
                : limiter.acquire(request, maxWait);
    }

    /**
     * Finds the values of a call. The future never fails; it is empty if no limit applies.
     *
     * @param results converts results of expressions
     */
    CompletableFuture<Optional<Prepared>> prepare(OutgoingCall call, UnaryOperator<Object> results) {
        Optional<CallLimiter> limiter = limiter();
        return limiter.isEmpty()
                ? CompletableFuture.completedFuture(Optional.empty())
                : request(limiter.get(), call, results)
                        .thenApply(request -> Optional.of(new Prepared(limiter.get(), request)))
                        .exceptionally(e -> {
                            notLimited(e);
                            return Optional.empty();
                        });
    }

    /**
     * Waits for permits without blocking. The future fails if the engine does. To cancel it ends the wait, and nothing is charged or held.
     */
    CompletableFuture<CallGrant.Decided> acquire(Prepared call) {
        Duration maxWait = beginWait();
        CompletableFuture<CallGrant.Decided> decision;
        try {
            decision = call.limiter().acquireAsync(call.request(), maxWait);
        } catch (RuntimeException e) {
            decision = CompletableFuture.failedFuture(e);
        }
        observer.observe(decision, CallGrant::outcome);
        decision.whenComplete((done, failure) -> waiting.decrementAndGet());
        return decision;
    }

    /** Counts a call that may have to wait, and returns how long it may: not at all if too many others wait. */
    private Duration beginWait() {
        return waiting.incrementAndGet() > settings.maxWaiting() ? Duration.ZERO : settings.maxWait();
    }

    /**
     * Returns a grant if the call is admitted.
     *
     * @throws ErrorResponseException if the grant is a denial
     */
    CallGrant requireAllowed(CallGrant grant) {
        if (!grant.allowed()) {
            throw denial(grant);
        }
        return grant;
    }

    /** The exception does not describe the policy, as the application may send it to its own client. */
    private ErrorResponseException denial(CallGrant grant) {
        if (!(grant instanceof CallGrant.Charged charged)) {
            return new InFlightExceededException(policy, Problem.of(settings.status(), BUSY));
        }
        Decision denied = charged.decision();
        Map<String, String> fields = new HashMap<>();
        String retry = RateLimitFields.retryAfterSeconds(denied)
                .map(seconds -> {
                    fields.put(RateLimitFields.RETRY_AFTER, Long.toString(seconds));
                    return " Try again in " + seconds + (seconds == 1 ? " second." : " seconds.");
                })
                .orElse("");
        return new LimitExceededException(Problem.of(settings.status(), BUSY + retry), fields, List.of(denied));
    }

    /** Logs that the engine has failed, so that the call is not limited. */
    void notLimited(Throwable failure) {
        failures.failed(".policy", "the call is not limited", failure);
    }

    /** Pauses the calls if the response requires it by the version of the policy in force. Does not wait for other instances. */
    void received(CallGrant grant, int status, @Nullable String retryAfter) {
        if (!(grant instanceof CallGrant.Charged charged)) {
            return;
        }
        Policy inForce = charged.limiter().policy();
        Set<Integer> pauseOn = settings.pauseOn().orElse(inForce.pausable() ? Set.of(TOO_MANY_REQUESTS) : Set.of());
        if (!pauseOn.contains(status)) {
            return;
        }
        RetryAfter.parse(retryAfter, CLOCK).ifPresent(wait -> {
            Duration pause = wait.compareTo(settings.maxPause()) > 0 ? settings.maxPause() : wait;
            Map<String, String> paused = new HashMap<>(charged.attributes().asMap());
            paused.keySet().retainAll(settings.pauseBy().orElseGet(() -> List.copyOf(inForce.dimensions())));
            pause(charged.limiter(), Attributes.of(paused), pause, status);
        });
    }

    /** Pauses calls. Many may be denied by the partner at the same time, so only one of them is written at a time. */
    private void pause(Limiter limiter, Attributes paused, Duration pause, int status) {
        if (!pausing.add(paused)) {
            return;
        }
        try {
            limiter.async().pause(paused, pause).whenComplete((remaining, failure) -> {
                pausing.remove(paused);
                if (failure != null) {
                    notPaused(failure);
                } else {
                    failures.happened("calls pause for " + remaining + " by "
                            + paused.asMap().keySet() + ", as a response had status " + status);
                }
            });
        } catch (RuntimeException e) {
            pausing.remove(paused);
            notPaused(e);
        }
    }

    private void notPaused(Throwable failure) {
        failures.failed(".pause-on", "the calls are not paused", failure);
    }

    private Optional<CallLimiter> limiter() {
        Optional<CallLimiter> limiter = CallLimiter.find(registry, policy);
        if (limiter.isEmpty()) {
            // The application has removed the policy since the start.
            notLimited(new IllegalStateException("there is no policy " + policy));
        }
        return limiter;
    }

    /**
     * The request with the values of the policy's dimensions and overrides. The future never fails: an absent value of a dimension is
     * replaced.
     */
    private CompletableFuture<PermitRequest> request(
            CallLimiter limiter, OutgoingCall call, @Nullable UnaryOperator<Object> results) {
        Map<String, CompletableFuture<Optional<String>>> found = new HashMap<>();
        by.forEach((dimension, value) -> found.put(dimension, value(dimension, value, call, results)));
        return CompletableFuture.allOf(found.values().toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> {
                    Map<String, String> values = new HashMap<>();
                    found.forEach((dimension, value) -> value.join()
                            .filter(text -> !text.isEmpty() && !text.startsWith(RequestValues.ABSENT))
                            .ifPresent(text -> values.put(dimension, text)));
                    limiter.dimensions().forEach(dimension -> values.putIfAbsent(dimension, UNKNOWN));
                    return PermitRequest.of(Attributes.of(values)).withPermits(settings.permits());
                });
    }

    private CompletableFuture<Optional<String>> value(
            String dimension, Value value, OutgoingCall call, @Nullable UnaryOperator<Object> results) {
        CompletableFuture<Optional<String>> found;
        try {
            found = value.of(call, results);
        } catch (RuntimeException e) {
            found = CompletableFuture.failedFuture(e);
        }
        return found.exceptionally(e -> {
            failures.failed(".by." + dimension, "the value is absent", e);
            return Optional.empty();
        });
    }
}
