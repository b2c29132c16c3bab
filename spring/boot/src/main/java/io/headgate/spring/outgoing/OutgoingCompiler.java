package io.headgate.spring.outgoing;

import io.headgate.config.ConfigException;
import io.headgate.config.PolicyRegistry;
import io.headgate.limits.Policy;
import io.headgate.spring.internal.DecisionObserver;
import io.headgate.spring.internal.PolicyProblems;
import io.headgate.spring.internal.Problems;
import io.headgate.spring.internal.RequestValues;
import io.headgate.spring.internal.expression.Expression;
import io.headgate.spring.internal.expression.ExpressionParser;
import io.headgate.spring.internal.expression.ExpressionScope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import org.springframework.web.util.pattern.PatternParseException;

/** Compiles the routes of {@code headgate.outgoing}, and checks all of them. Not safe for use by several threads. */
final class OutgoingCompiler {

    private static final Duration LONGEST_WAIT = Duration.ofDays(366);
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(1);
    private static final Duration LONGEST_PAUSE = Duration.ofDays(1);

    private static final Pattern CALL = Pattern.compile("(header|fixed)\\((.+)\\)", Pattern.DOTALL);
    private static final Pattern HOST = Pattern.compile("(\\*\\.)?[^*/:\\s]+|\\[[0-9a-fA-F:.]+]");

    private static final ExpressionScope SCOPE =
            new ExpressionScope("the call", OutgoingCallAccessor.NAMES, List.of(), Map.of());

    private static final Map<String, Function<OutgoingCall, String>> PROPERTIES =
            Map.of("host", OutgoingCall::host, "path", OutgoingCall::path, "method", OutgoingCall::method);

    private final PolicyRegistry registry;
    private final DecisionObserver observer;
    private final ExpressionParser expressions;
    private final Problems problems = new Problems();

    private OutgoingCompiler(
            PolicyRegistry registry, BeanFactory beans, UnaryOperator<Object> results, DecisionObserver observer) {
        this.registry = registry;
        this.observer = observer;
        this.expressions = new ExpressionParser(beans, results, new OutgoingCallAccessor());
    }

    /**
     * Compiles the routes.
     *
     * @param beans the beans that expressions use
     * @param results converts results of expressions to a {@link java.util.concurrent.CompletionStage}
     * @param observer observes decisions
     * @throws ConfigException if the properties have problems; lists the first 20
     */
    static List<OutgoingRoute> compile(
            OutgoingProperties properties,
            PolicyRegistry registry,
            BeanFactory beans,
            UnaryOperator<Object> results,
            DecisionObserver observer) {
        OutgoingCompiler compiler = new OutgoingCompiler(registry, beans, results, observer);
        List<OutgoingRoute> routes = new ArrayList<>();
        for (int i = 0; i < properties.routes().size(); i++) {
            routes.add(compiler.route(
                    "headgate.outgoing.routes[" + i + "]", properties.routes().get(i)));
        }
        compiler.problems.failIfAny();
        return routes;
    }

    private OutgoingRoute route(String property, OutgoingProperties.Route route) {
        String policy = route.policy();
        if (policy == null || policy.isEmpty()) {
            problems.add(property + ".policy", policy == null ? PolicyProblems.REQUIRED : PolicyProblems.EMPTY);
            policy = PolicyProblems.NONE;
        } else {
            new PolicyProblems(registry, "a call", (setting, text) -> problems.add(property + setting, text))
                    .checkCall(policy, route.by().keySet(), route.permits());
        }
        requireRange(property + ".by", route.by().size(), 0, 32);
        boolean inFlight = registry.findInFlightLimiter(policy).isPresent();
        requireRange(property + ".permits", route.permits(), 1, inFlight ? PolicyProblems.MAX_HELD : Integer.MAX_VALUE);
        if (inFlight && (route.pauseOn() != null || route.pauseBy() != null)) {
            problems.add(
                    property + (route.pauseOn() == null ? ".pause-by" : ".pause-on"),
                    "needs a policy of rate limits, but " + policy + " has in-flight limits, which cannot be paused");
        }
        requireRange(property + ".max-waiting", route.maxWaiting(), 0, 100_000);
        requireRange(property + ".status", route.status(), 400, 599);
        requireRange(property + ".max-wait", route.maxWait(), Duration.ZERO, LONGEST_WAIT, "0 to 366 days");
        requireRange(property + ".max-pause", route.maxPause(), SHORTEST_PAUSE, LONGEST_PAUSE, "1 ms to 1 day");
        Map<String, OutgoingRoute.Value> by = new LinkedHashMap<>();
        route.by().forEach((dimension, text) -> value(property + ".by." + dimension, text.strip())
                .ifPresent(value -> by.put(dimension, value)));
        return new OutgoingRoute(
                property, matches(property, route), policy, by, settings(property, route, policy), registry, observer);
    }

    private OutgoingRoute.Settings settings(String property, OutgoingProperties.Route route, String name) {
        Optional<Policy> policy = registry.findLimiter(name).map(limiter -> limiter.policy());
        boolean pausable = policy.map(Policy::pausable).orElse(false);
        Optional<Set<Integer>> pauseOn = Optional.ofNullable(route.pauseOn()).map(Set::copyOf);
        for (int status : pauseOn.orElse(Set.of())) {
            requireRange(property + ".pause-on", status, 400, 599);
        }
        if (policy.isPresent() && !pausable && !pauseOn.orElse(Set.of()).isEmpty()) {
            problems.add(
                    property + ".pause-on",
                    "needs a policy that can be paused; set headgate.policies." + name + ".pausable to true");
        }
        List<String> dimensions =
                policy.map(found -> List.copyOf(found.dimensions())).orElse(List.of());
        Optional<List<String>> pauseBy = Optional.ofNullable(route.pauseBy()).map(List::copyOf);
        for (String dimension : pauseBy.orElse(List.of())) {
            if (policy.isPresent() && !dimensions.contains(dimension)) {
                problems.add(
                        property + ".pause-by",
                        "has " + dimension + ", which is no dimension of policy " + name + ", which "
                                + PolicyProblems.countsBy(dimensions));
            }
        }
        return new OutgoingRoute.Settings(
                route.permits(),
                route.maxWait(),
                route.maxWaiting(),
                route.status(),
                pauseOn,
                pauseBy,
                route.maxPause());
    }

    private Predicate<OutgoingCall> matches(String property, OutgoingProperties.Route route) {
        List<String> hosts = route.host().stream()
                .map(host -> host.strip().toLowerCase(Locale.ROOT))
                .toList();
        for (String host : hosts) {
            if (!HOST.matcher(host).matches()) {
                problems.add(
                        property + ".host",
                        "must be a host such as api.example.com or *.example.com, without a port, but was " + host);
            }
        }
        Set<String> methods = route.method().stream()
                .map(method -> method.toUpperCase(Locale.ROOT))
                .collect(Collectors.toUnmodifiableSet());
        List<PathPattern> patterns = patterns(property + ".path", route.path());
        return call -> (hosts.isEmpty() || hosts.stream().anyMatch(host -> isOfHost(call.host(), host)))
                && (methods.isEmpty() || methods.contains(call.method()))
                && (patterns.isEmpty() || matchesAny(patterns, call.path()));
    }

    private static boolean isOfHost(String host, String pattern) {
        return pattern.startsWith("*.") ? host.endsWith(pattern.substring(1)) : host.equals(pattern);
    }

    private static boolean matchesAny(List<PathPattern> patterns, String path) {
        PathContainer parsed = PathContainer.parsePath(path);
        return patterns.stream().anyMatch(pattern -> pattern.matches(parsed));
    }

    private List<PathPattern> patterns(String property, List<String> texts) {
        List<PathPattern> patterns = new ArrayList<>();
        for (String text : texts) {
            if (!text.startsWith("/")) {
                problems.add(property, "must begin with /, but was " + text);
                continue;
            }
            try {
                patterns.add(PathPatternParser.defaultInstance.parse(text));
            } catch (PatternParseException e) {
                problems.add(property, "is no pattern: " + e.getMessage());
            }
        }
        return List.copyOf(patterns);
    }

    private Optional<OutgoingRoute.Value> value(String property, String text) {
        Function<OutgoingCall, String> ofCall = PROPERTIES.get(text);
        if (ofCall != null) {
            return Optional.of((call, results) -> CompletableFuture.completedFuture(Optional.of(ofCall.apply(call))));
        }
        Matcher call = CALL.matcher(text);
        if (call.matches()) {
            String argument = call.group(2).strip();
            return Optional.of(
                    call.group(1).equals("fixed")
                            ? (any, results) -> CompletableFuture.completedFuture(Optional.of(argument))
                            : (sent, results) -> CompletableFuture.completedFuture(
                                    Optional.ofNullable(sent.headers().getFirst(argument))));
        }
        if (!ExpressionParser.isMarked(text)) {
            problems.add(property, "must be host, path, method, header(…), fixed(…) or #{expression}, but was " + text);
            return Optional.empty();
        }
        return expression(property, text)
                .map(expression -> (sent, results) ->
                        expression.evaluate(sent, results).thenApply(result -> result.map(RequestValues::text)));
    }

    private Optional<Expression> expression(String property, String text) {
        return problems.checked(
                property, () -> Optional.of(expressions.parse(text, SCOPE)), Optional.<Expression>empty());
    }

    private void requireRange(String property, long value, long min, long max) {
        if (value < min || value > max) {
            problems.add(property, "must be from " + min + " to " + max + ", but was " + value);
        }
    }

    private void requireRange(String property, Duration value, Duration min, Duration max, String range) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            problems.add(property, "must be " + range + ", but was " + value);
        }
    }
}
