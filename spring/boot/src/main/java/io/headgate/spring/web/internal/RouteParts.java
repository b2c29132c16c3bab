package io.headgate.spring.web.internal;

import io.headgate.config.PolicyRegistry;
import io.headgate.http.attributes.ResolvedValue;
import io.headgate.http.attributes.ResolvedValue.Absent;
import io.headgate.http.attributes.ResolvedValue.Present;
import io.headgate.http.attributes.ResolvedValue.Reason;
import io.headgate.limits.Attributes;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.spring.internal.PolicyProblems;
import io.headgate.spring.internal.RequestValues;
import io.headgate.spring.web.WebProperties;
import io.headgate.spring.web.internal.Route.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/** Finds the policy, permits and values of a request under a route. Safe for use by any number of threads. */
final class RouteParts {

    private static final int BAD_REQUEST = 400;
    private static final Absent NONE_GIVEN = new Absent(Reason.MISSING, "the route has none");
    private static final CompletableFuture<RoutePart> NONE = CompletableFuture.completedFuture(new RoutePart.None());

    private final PolicyRegistry registry;
    private final LimitEngine engine;
    private final ApplicableRules applicable;
    private final int banStatus;

    /** The dimensions of policies by name, as {@link Policy#dimensions()} collects them at each call. */
    private final Map<String, Dimensions> dimensions = new ConcurrentHashMap<>();

    /** The dimensions of one version of a policy. */
    private record Dimensions(Policy policy, List<String> names) {}

    RouteParts(PolicyRegistry registry, LimitEngine engine, int banStatus) {
        this.registry = registry;
        this.banStatus = banStatus;
        this.engine = engine;
        this.applicable = new ApplicableRules(engine);
    }

    /** Returns what the route does with a request. The future never fails. */
    CompletableFuture<RoutePart> of(Route.Match match, Calls calls) {
        Route route = match.route();
        RouteRequest request = match.request();
        Predicate<RouteRequest> skip = route.skip();
        if (skip != null && isSkipped(skip, request)) {
            return NONE;
        }
        CompletableFuture<String> policy = calls.settled(route.policy().of(request));
        return policy.thenCompose(name -> name.equals(PolicyProblems.NONE) ? NONE : underPolicy(name, match, calls))
                .exceptionally(e -> withoutPolicy(match, e));
    }

    /** A client may be able to make the choice of a policy fail, so that the request must not be admitted without one. */
    private static RoutePart withoutPolicy(Route.Match match, Throwable failure) {
        match.request().failures().failed(".policy", "the request is denied", failure);
        return new RoutePart.Rejected(match.route().status(), "The server could not choose the policy of the request.");
    }

    private static boolean isSkipped(Predicate<RouteRequest> skip, RouteRequest request) {
        try {
            return skip.test(request);
        } catch (RuntimeException e) {
            request.failures().failed(".skip", "the route limits the request", e);
            return false;
        }
    }

    /** Returns the number of permits, at least 1, also if the client made it fail. */
    private static CompletableFuture<Long> permits(Route.Match match, Calls calls) {
        RouteRequest request = match.request();
        return calls.settled(match.route().permits().of(request)).exceptionally(e -> {
            request.failures().failed(".permits", "the request needs 1 permit", e);
            return 1L;
        });
    }

    private CompletableFuture<RoutePart> underPolicy(String name, Route.Match match, Calls calls) {
        RouteRequest request = match.request();
        Optional<Limiter> limiter = registry.findLimiter(name);
        if (limiter.isEmpty()) {
            Throwable failure = new IllegalStateException(
                    name.isEmpty()
                            ? "the expression returned no policy; return none to limit nothing"
                            : "there is no policy " + name);
            if (match.route().policy().fixed().isEmpty()) {
                return CompletableFuture.failedFuture(failure);
            }
            // The application has removed the policy since the start.
            request.failures().failed(".policy", "the route does not limit the request", failure);
            return NONE;
        }
        return permits(match, calls).thenCompose(permits -> values(match, calls)
                .thenApply(values -> part(match, limiter.get(), permits, values)));
    }

    private static CompletableFuture<ResolvedValue[]> values(Route.Match match, Calls calls) {
        List<Value> by = match.route().values();
        ResolvedValue[] found = new ResolvedValue[by.size()];
        List<CompletableFuture<?>> pending = List.of();
        for (int i = 0; i < found.length; i++) {
            CompletableFuture<ResolvedValue> value =
                    calls.settled(by.get(i).value().resolve(match.request()));
            if (value.isDone()) {
                found[i] = value.join();
            } else {
                int index = i;
                pending = pending.isEmpty() ? new ArrayList<>() : pending;
                pending.add(value.thenAccept(late -> found[index] = late));
            }
        }
        return pending.isEmpty()
                ? CompletableFuture.completedFuture(found)
                : CompletableFuture.allOf(pending.toArray(CompletableFuture<?>[]::new))
                        .thenApply(done -> found);
    }

    private RoutePart part(Route.Match match, Limiter limiter, long permits, ResolvedValue[] values) {
        Route route = match.route();
        Map<String, String> attributes = new HashMap<>();
        for (int i = 0; i < values.length; i++) {
            if (values[i] instanceof Absent absent && absent.reason() != Reason.MISSING) {
                // Otherwise a client could choose by which value it counts.
                return new RoutePart.Rejected(
                        BAD_REQUEST, missing(route.values().get(i).dimension(), absent));
            }
            if (values[i] instanceof Present present && !present.value().startsWith(RequestValues.ABSENT)) {
                attributes.put(route.values().get(i).dimension(), present.value());
            }
        }
        boolean all = true;
        for (String dimension : dimensions(limiter.policy())) {
            if (!attributes.containsKey(dimension)) {
                ResolvedValue value = value(route, dimension, values);
                if (route.absent() == WebProperties.Absent.DENY) {
                    return new RoutePart.Rejected(BAD_REQUEST, missing(dimension, value));
                }
                if (value.equals(NONE_GIVEN)) {
                    warnWithoutValue(dimension, match.request());
                }
                if (route.absent() == WebProperties.Absent.SKIP_RULE && isSkippable(value)) {
                    all = false;
                } else {
                    attributes.put(
                            dimension,
                            RequestValues.ABSENT
                                    + match.request().clientAddress().orElse("unknown"));
                }
            }
        }
        Optional<Limiter> applying = all ? Optional.of(limiter) : applicable.of(limiter.policy(), attributes.keySet());
        addAddress(limiter.policy(), match.request(), attributes);
        if (applying.isEmpty()) {
            return withoutRules(limiter.policy(), attributes);
        }
        PermitRequest needed = PermitRequest.of(Attributes.of(attributes));
        return new RoutePart.Charge(route, applying.get(), permits == 1 ? needed : needed.withPermits(permits));
    }

    /** No rule limits the request, but a ban may deny it. */
    private RoutePart withoutRules(Policy policy, Map<String, String> attributes) {
        boolean isBanned = !engine.bans().attributes().isEmpty()
                && engine.bans()
                        .applicable(policy.name(), Attributes.of(attributes))
                        .filter(entry -> !entry.kind().isExemption())
                        .isPresent();
        return isBanned ? new RoutePart.Rejected(banStatus, "These requests are banned.") : new RoutePart.None();
    }

    /** Adds the client's address if an address is banned or exempt, even though neither a rule nor an override of the policy uses it. */
    private void addAddress(Policy policy, RouteRequest request, Map<String, String> attributes) {
        if (engine.bans().attributes().contains(Attributes.IP)
                && !attributes.containsKey(Attributes.IP)
                && !policy.overrideAttributes().contains(Attributes.IP)) {
            request.clientAddress().ifPresent(address -> attributes.put(Attributes.IP, address));
        }
    }

    /** Whether the request has no such value. A client that can make a value fail must not evade the rule. */
    private static boolean isSkippable(ResolvedValue value) {
        return value instanceof Absent && !value.equals(NONE_GIVEN) && !value.equals(RouteValue.FAILED);
    }

    /** Logs that the route has no value of a dimension, which is a mistake in the settings and not of the client. */
    private static void warnWithoutValue(String dimension, RouteRequest request) {
        request.failures().warnOnce(".by", "has no value of " + dimension + ", so the client's address counts");
    }

    private static ResolvedValue value(Route route, String dimension, ResolvedValue[] values) {
        ResolvedValue value = NONE_GIVEN;
        for (int i = 0; i < values.length; i++) {
            value = route.values().get(i).dimension().equals(dimension) ? values[i] : value;
        }
        return value;
    }

    private static String missing(String dimension, ResolvedValue value) {
        String reason = value instanceof Absent absent ? absent.detail() : NONE_GIVEN.detail();
        return "The request needs a value of " + dimension + ": " + reason + ".";
    }

    private List<String> dimensions(Policy policy) {
        Dimensions known = dimensions.get(policy.name());
        if (known == null || !known.policy().equals(policy)) {
            known = new Dimensions(policy, List.copyOf(policy.dimensions()));
            dimensions.put(policy.name(), known);
        }
        return known.names();
    }
}
