package io.headgate.spring.web.internal;

import io.headgate.config.PolicyRegistry;
import io.headgate.http.Problem;
import io.headgate.http.RateLimitFields;
import io.headgate.limits.Decision;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.limits.combined.CombinedDecision;
import io.headgate.limits.combined.CombinedRequest;
import io.headgate.spring.internal.DecisionObserver;
import io.headgate.spring.internal.DecisionObserver.Outcome;
import io.headgate.spring.internal.FailureLog;
import io.headgate.spring.web.WebProperties;
import io.headgate.spring.web.internal.RouteDecision.Admitted;
import io.headgate.spring.web.internal.RouteDecision.Denied;
import io.headgate.spring.web.internal.RouteDecision.NotLimited;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Decides requests by the routes of an application. Safe for use by any number of threads.
 *
 * <p>An application calls it once in each {@link Phase} that has a route, and passes the decision of the first phase to the second one. It
 * never throws an exception because of a request: if the engine fails and no fallback decides, the request is not limited, and the failure
 * is logged.
 */
public final class RouteDecider {

    private static final RouteDecision UNLIMITED = new NotLimited(true);

    private final Routes routes;
    private final RouteParts parts;
    private final LimitEngine engine;
    private final WebProperties.Reset reset;
    private final int banStatus;
    private final DecisionObserver observer;
    private final FailureLog failures = new FailureLog("headgate.web");

    /**
     * Creates a decider.
     *
     * @param registry the policies that the routes name
     * @param engine the engine of these policies
     * @param properties the form of {@code X-RateLimit-Reset}, and the status of a banned request
     * @param observer observes decisions
     */
    public RouteDecider(
            Routes routes,
            PolicyRegistry registry,
            LimitEngine engine,
            WebProperties properties,
            DecisionObserver observer) {
        this.routes = routes;
        this.parts = new RouteParts(registry, engine, properties.banStatus());
        this.engine = engine;
        this.reset = properties.reset();
        this.banStatus = properties.banStatus();
        this.observer = observer;
    }

    /**
     * Decides a request. Blocks until the engine replies, and until asynchronous values are found.
     *
     * @param earlier the decision of the earlier phase; {@link NotLimited#UNMATCHED} if there was none
     */
    public RouteDecision decide(WebRequest request, Phase phase, RouteDecision earlier) {
        return decide(request, phase, earlier, Calls.BLOCKING).join();
    }

    /**
     * Decides a request without blocking. The stage never fails, and may complete on a thread of the engine.
     *
     * @param earlier the decision of the earlier phase; {@link NotLimited#UNMATCHED} if there was none
     */
    public CompletionStage<RouteDecision> decideAsync(WebRequest request, Phase phase, RouteDecision earlier) {
        return decideAsync(request, phase, earlier, null);
    }

    /**
     * Decides a request without blocking, as {@link #decideAsync(WebRequest, Phase, RouteDecision)} does.
     *
     * @param observation the observation of the request; null if there is none
     */
    public CompletionStage<RouteDecision> decideAsync(
            WebRequest request, Phase phase, RouteDecision earlier, @Nullable Object observation) {
        return observer.within(observation, () -> decide(request, phase, earlier, Calls.ASYNCHRONOUS));
    }

    private CompletableFuture<RouteDecision> decide(
            WebRequest request, Phase phase, RouteDecision earlier, Calls calls) {
        CompletableFuture<RouteDecision> decision;
        try {
            decision = steps(request, phase, earlier, calls);
        } catch (RuntimeException e) {
            decision = CompletableFuture.failedFuture(e);
        }
        return decision.exceptionally(e -> {
            failures.failed("", "the request is not limited", e);
            return UNLIMITED;
        });
    }

    private CompletableFuture<RouteDecision> steps(
            WebRequest request, Phase phase, RouteDecision earlier, Calls calls) {
        List<Route.Match> matching = routes.matching(request, phase, earlier.matched());
        if (matching.isEmpty()) {
            boolean decided = earlier.matched() && !routes.matchAll();
            return CompletableFuture.completedFuture(decided ? UNLIMITED : NotLimited.UNMATCHED);
        }
        List<Admitted.Charge> charges = earlier instanceof Admitted admitted ? admitted.charges() : List.of();
        CompletableFuture<RouteDecision> decision =
                parts(matching, calls).thenCompose(found -> charge(found, charges, calls));
        return charges.isEmpty()
                ? decision
                : decision.thenCompose(
                        now -> now instanceof Denied ? refunded(now, (Admitted) earlier, calls) : decision);
    }

    /** The request keeps no permit of the earlier phase. */
    private static CompletableFuture<RouteDecision> refunded(RouteDecision denied, Admitted earlier, Calls calls) {
        return calls.settled(earlier.refundAll().toCompletableFuture()).thenApply(refunded -> denied);
    }

    private CompletableFuture<List<RoutePart>> parts(List<Route.Match> matching, Calls calls) {
        if (matching.size() == 1) {
            return parts.of(matching.get(0), calls).thenApply(List::of);
        }
        List<CompletableFuture<RoutePart>> found =
                matching.stream().map(matched -> parts.of(matched, calls)).toList();
        return CompletableFuture.allOf(found.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> found.stream().map(CompletableFuture::join).toList());
    }

    private CompletableFuture<RouteDecision> charge(List<RoutePart> found, List<Admitted.Charge> earlier, Calls calls) {
        List<RoutePart.Charge> charges = new ArrayList<>(found.size());
        for (RoutePart part : found) {
            if (part instanceof RoutePart.Rejected rejected) {
                return CompletableFuture.completedFuture(rejected(rejected.status(), rejected.detail()));
            }
            if (part instanceof RoutePart.Charge charge && isFirstOfItsPolicy(charge, charges, earlier)) {
                charges.add(charge);
            }
        }
        if (charges.isEmpty()) {
            return CompletableFuture.completedFuture(UNLIMITED);
        }
        if (charges.size() > 1 && rules(charges) > PolicyChecks.MAX_RULES) {
            Route first = charges.get(0).route();
            String detail = "The policies of the request have more than " + PolicyChecks.MAX_RULES + " rules together.";
            first.failures().failed(".policy", "the request is denied", new IllegalStateException(detail));
            return CompletableFuture.completedFuture(rejected(first.status(), detail));
        }
        try {
            return acquire(charges, calls)
                    .thenApply(decisions -> result(charges, decisions, earlier))
                    .exceptionally(e -> unlimited(charges, e));
        } catch (RuntimeException e) {
            return CompletableFuture.completedFuture(unlimited(charges, e));
        }
    }

    private static int rules(List<RoutePart.Charge> charges) {
        return charges.stream()
                .mapToInt(charge -> charge.limiter().policy().rules().size())
                .sum();
    }

    private static Denied rejected(int status, String detail) {
        return new Denied(status, Map.of(), Problem.of(status, detail), List.of());
    }

    /** Two parts of a combined request could share a count, and two phases could charge it twice, so the first route decides. */
    private static boolean isFirstOfItsPolicy(
            RoutePart.Charge charge, List<RoutePart.Charge> before, List<Admitted.Charge> earlier) {
        boolean first = (before.isEmpty() && earlier.isEmpty())
                || (before.stream().noneMatch(other -> isSamePolicy(other.limiter(), charge.limiter()))
                        && earlier.stream().noneMatch(other -> isSamePolicy(other.limiter(), charge.limiter())));
        if (!first) {
            charge.route()
                    .failures()
                    .failed(
                            ".policy",
                            "the route does not limit the request",
                            new IllegalStateException("another route decides by the same policy"));
        }
        return first;
    }

    /** Limiters of some rules of a policy are of the same policy, too. */
    private static boolean isSamePolicy(Limiter one, Limiter other) {
        return one.policy().name().equals(other.policy().name());
    }

    private CompletableFuture<List<Decision>> acquire(List<RoutePart.Charge> charges, Calls calls) {
        if (charges.size() == 1) {
            RoutePart.Charge only = charges.get(0);
            CompletableFuture<Decision> decision = observer.isEnabled()
                    ? calls.settled(
                            observer.observe(Calls.ASYNCHRONOUS.acquire(only.limiter(), only.request()), Outcome::of))
                    : calls.acquire(only.limiter(), only.request());
            return decision.thenApply(List::of);
        }
        CombinedRequest request = new CombinedRequest(charges.stream()
                .map(charge -> new CombinedRequest.Part(charge.limiter(), charge.request()))
                .toList());
        CompletableFuture<CombinedDecision> decision = observer.isEnabled()
                ? calls.settled(observer.observe(Calls.ASYNCHRONOUS.acquire(engine, request), Outcome::of))
                : calls.acquire(engine, request);
        return decision.thenApply(CombinedDecision::decisions);
    }

    private static RouteDecision unlimited(List<RoutePart.Charge> charges, Throwable failure) {
        charges.get(0).route().failures().failed(".policy", "the request is not limited", failure);
        return UNLIMITED;
    }

    private RouteDecision result(
            List<RoutePart.Charge> charges, List<Decision> decisions, List<Admitted.Charge> earlier) {
        List<Admitted.Charge> now = new ArrayList<>(charges.size());
        for (int i = 0; i < charges.size(); i++) {
            RoutePart.Charge charge = charges.get(i);
            now.add(new Admitted.Charge(
                    charge.route(),
                    charge.limiter(),
                    charge.request().attributesFor(charge.limiter().policy()),
                    decisions.get(i)));
        }
        List<Admitted.Charge> all = now;
        if (!earlier.isEmpty()) {
            all = new ArrayList<>(earlier);
            all.addAll(now);
        }
        CombinedDecision combined = earlier.isEmpty()
                ? new CombinedDecision(decisions)
                : new CombinedDecision(
                        all.stream().map(Admitted.Charge::decision).toList());
        return combined.allowed() ? new Admitted(now, fields(all, combined)) : denied(all, combined);
    }

    private Denied denied(List<Admitted.Charge> all, CombinedDecision combined) {
        Decision decisive = combined.decisive();
        Admitted.Charge by = all.stream()
                .filter(charge -> charge.decision() == decisive)
                .findFirst()
                .orElseThrow();
        List<Decision> decisions = new ArrayList<>(combined.decisions());
        decisions.removeIf(decision -> decision == decisive);
        decisions.add(0, decisive);
        int status = decisive.basis() == Decision.Basis.BANNED
                ? banStatus
                : by.route().status();
        return new Denied(
                status,
                fields(all, combined),
                Problem.denied(by.limiter().policy(), decisive, status),
                List.copyOf(decisions));
    }

    /** The fields of the policies whose routes send them, and when to retry, which depends on all policies. */
    private Map<String, String> fields(List<Admitted.Charge> all, CombinedDecision combined) {
        List<Decision> sent = new ArrayList<>(all.size());
        for (Admitted.Charge charge : all) {
            if (charge.route().fields()) {
                sent.add(charge.decision());
            }
        }
        if (sent.size() == all.size()) {
            return Collections.unmodifiableMap(reset.in(fields(combined), combined.decisive()));
        }
        Map<String, String> fields = new LinkedHashMap<>();
        if (!sent.isEmpty()) {
            CombinedDecision some = new CombinedDecision(sent);
            fields.putAll(reset.in(fields(some), some.decisive()));
        }
        String retryAfter = fields(combined).get(RateLimitFields.RETRY_AFTER);
        fields.compute(RateLimitFields.RETRY_AFTER, (name, value) -> retryAfter);
        return Collections.unmodifiableMap(fields);
    }

    private static Map<String, String> fields(CombinedDecision combined) {
        return combined.decisions().size() == 1
                ? RateLimitFields.of(combined.decisive())
                : RateLimitFields.of(combined);
    }
}
