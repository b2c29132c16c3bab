package io.headgate.spring.web.internal;

import io.headgate.config.ConfigException;
import io.headgate.config.PolicyRegistry;
import io.headgate.http.attributes.ClientAddress;
import io.headgate.limits.Attributes;
import io.headgate.spring.internal.FailureLog;
import io.headgate.spring.internal.PolicyProblems;
import io.headgate.spring.internal.Problems;
import io.headgate.spring.internal.RequestValues;
import io.headgate.spring.internal.expression.ExpressionParser;
import io.headgate.spring.web.WebProperties;
import io.headgate.spring.web.WebProperties.ForwardedField;
import io.headgate.spring.web.WebProperties.Match;
import io.headgate.spring.web.internal.Route.Setting;
import io.headgate.spring.web.internal.Route.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.http.HttpMethod;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/** Compiles the routes of the properties, and checks all of them before the application starts. Not safe for use by several threads. */
public final class RouteCompiler {

    private static final String WEB = "headgate.web";
    private static final int FIRST_STATUS = 400;
    private static final int LAST_STATUS = 599;

    private final WebProperties properties;
    private final PathPatternParser paths;
    private final PolicyChecks policies;
    private final Expressions expressions;
    private final RouteValues values;
    private final Problems problems = new Problems();

    private RouteCompiler(
            WebProperties properties,
            PolicyRegistry registry,
            BeanFactory beans,
            UnaryOperator<Object> results,
            PathPatternParser paths) {
        this.properties = properties;
        this.paths = paths;
        this.policies = new PolicyChecks(registry, problems::add);
        this.expressions = new Expressions(beans, results);
        this.values = new RouteValues(beans, expressions, !paths.isCaseSensitive());
    }

    /**
     * Compiles the routes.
     *
     * @param registry the policies, by which names and dimensions are checked
     * @param beans the beans that values and expressions use
     * @param results converts results of expressions to a {@link java.util.concurrent.CompletionStage}, such as those of a reactive
     *     library; returns other results unchanged
     * @param paths the parser of the application's own patterns, which may ignore case
     * @throws ConfigException if the properties have problems; lists the first 20
     */
    public static Routes compile(
            WebProperties properties,
            PolicyRegistry registry,
            BeanFactory beans,
            UnaryOperator<Object> results,
            PathPatternParser paths) {
        return new RouteCompiler(properties, registry, beans, results, paths).compile();
    }

    /**
     * Compiles the only route of a filter, which has no conditions, as something else selects its requests.
     *
     * @param name the name of the filter in problems
     * @throws ConfigException if the route has problems
     */
    public static Routes compileOne(
            String name,
            WebProperties.Route route,
            WebProperties properties,
            PolicyRegistry registry,
            BeanFactory beans,
            UnaryOperator<Object> results,
            PathPatternParser paths) {
        return new RouteCompiler(properties, registry, beans, results, paths).compileOne(name, route);
    }

    private Routes compileOne(String name, WebProperties.Route route) {
        ClientAddress clients = clients();
        Route only = route(name, route, RouteValues.ANY_VARIABLE);
        if (only.refundOn().needsAuthentication()) {
            problems.add(name + ".refund-on", "must have statuses only, such as 2xx");
        }
        problems.failIfAny();
        return new Routes(List.of(only), false, clients, values.usesPrincipal());
    }

    private Routes compile() {
        ClientAddress clients = clients();
        List<Route> routes = new ArrayList<>();
        for (int i = 0; i < properties.routes().size(); i++) {
            WebProperties.Route route = properties.routes().get(i);
            routes.add(route(WEB + ".routes[" + i + "]", route, RoutePaths.variables(route.path())));
        }
        int banStatus = properties.banStatus();
        if (banStatus < FIRST_STATUS || banStatus > LAST_STATUS) {
            problems.add(
                    WEB + ".ban-status",
                    "must be from " + FIRST_STATUS + " to " + LAST_STATUS + ", but was " + banStatus);
        }
        if (properties.match() == Match.ALL) {
            policies.checkTogether(routes);
        } else {
            policies.checkOrder(routes);
        }
        problems.failIfAny();
        return new Routes(routes, properties.match() == Match.ALL, clients, values.usesPrincipal());
    }

    private ClientAddress clients() {
        List<String> trusted = properties.trustedProxies();
        ClientAddress clients = trusted.isEmpty()
                ? ClientAddress.ofPeer()
                : problems.checked(
                        WEB + ".trusted-proxies",
                        () -> ClientAddress.parseTrusted(String.join(",", trusted)),
                        ClientAddress.ofPeer());
        ClientAddress reading =
                properties.forwardedField() == ForwardedField.FORWARDED ? clients.readingForwarded() : clients;
        return problems.checked(WEB + ".ipv6-prefix", () -> reading.withIpv6Prefix(properties.ipv6Prefix()), reading);
    }

    private Route route(String property, WebProperties.Route route, List<String> variables) {
        Phase phase = route.beforeAuthentication() ? Phase.BEFORE_AUTHENTICATION : Phase.AFTER_AUTHENTICATION;
        boolean withPrincipal = phase == Phase.AFTER_AUTHENTICATION;
        List<PathPattern> patterns = patterns(property + ".path", route.path());
        RouteConditions conditions = new RouteConditions(
                patterns,
                methods(property + ".method", route.method()),
                Map.copyOf(route.header()),
                Map.copyOf(route.query()),
                condition(property + ".when", route.when(), withPrincipal));
        Setting<String> policy = policy(property + ".policy", route.policy(), withPrincipal);
        List<Value> by = by(property + ".by", route.by(), withPrincipal, variables);
        Setting<Long> permits = permits(property + ".permits", route.permits(), withPrincipal);
        policies.check(property, policy.fixed(), route.by().keySet(), permits.fixed());
        if (route.status() < FIRST_STATUS || route.status() > LAST_STATUS) {
            String range = FIRST_STATUS + " to " + LAST_STATUS;
            problems.add(property + ".status", "must be from " + range + ", but was " + route.status());
        }
        return new Route(
                property,
                conditions,
                phase,
                condition(property + ".skip", route.skip(), withPrincipal),
                policy,
                by,
                permits,
                route.absent(),
                problems.checked(
                        property + ".refund-on", () -> RefundOn.parse(route.refundOn()), RefundOn.parse(List.of())),
                route.status(),
                route.fields(),
                new FailureLog(property));
    }

    private List<PathPattern> patterns(String property, List<String> texts) {
        List<PathPattern> patterns = new ArrayList<>();
        for (String text : texts) {
            Optional<PathPattern> pattern = problems.checked(
                    property,
                    () -> {
                        if (!text.startsWith("/")) {
                            throw new IllegalArgumentException("must begin with /, but was " + text);
                        }
                        return Optional.of(paths.parse(text));
                    },
                    Optional.empty());
            pattern.ifPresent(patterns::add);
        }
        return List.copyOf(patterns);
    }

    private Set<String> methods(String property, List<String> methods) {
        Set<String> upper = methods.stream()
                .map(method -> method.toUpperCase(Locale.ROOT))
                .collect(Collectors.toCollection(LinkedHashSet::new));
        List<String> known =
                Arrays.stream(HttpMethod.values()).map(HttpMethod::name).toList();
        upper.stream()
                .filter(method -> !known.contains(method))
                .forEach(method -> problems.add(property, "must be of " + known + ", but was " + method));
        if (upper.contains("GET")) {
            upper.add("HEAD");
        }
        return Set.copyOf(upper);
    }

    private @Nullable Predicate<RouteRequest> condition(String property, @Nullable String text, boolean withPrincipal) {
        if (text == null) {
            return null;
        }
        if (text.isEmpty()) {
            problems.add(property, PolicyProblems.EMPTY);
            return null;
        }
        return problems.checked(
                        property,
                        () -> Optional.of(expressions.condition(text, withPrincipal)),
                        Optional.<Predicate<RouteRequest>>empty())
                .orElse(null);
    }

    private Setting<String> policy(String property, @Nullable String text, boolean withPrincipal) {
        if (text == null || text.isEmpty()) {
            problems.add(property, text == null ? PolicyProblems.REQUIRED : PolicyProblems.EMPTY);
            return Setting.fixed(PolicyProblems.NONE);
        }
        return ExpressionParser.isMarked(text)
                ? setting(
                        property,
                        text,
                        withPrincipal,
                        result -> result.map(RequestValues::text).orElse(""),
                        PolicyProblems.NONE)
                : Setting.fixed(text);
    }

    private Setting<Long> permits(String property, String text, boolean withPrincipal) {
        if (ExpressionParser.isMarked(text)) {
            return setting(
                    property,
                    text,
                    withPrincipal,
                    result -> Math.max(1L, result.map(RequestValues::permits).orElse(1L)),
                    1L);
        }
        return problems.checked(
                property,
                () -> {
                    long permits = RequestValues.permits(text);
                    if (permits < 1) {
                        throw new IllegalArgumentException("must be at least 1, but was " + text);
                    }
                    return Setting.fixed(permits);
                },
                Setting.fixed(1L));
    }

    private <T> Setting<T> setting(
            String property, String text, boolean withPrincipal, Function<Optional<Object>, T> convert, T placeholder) {
        return problems.checked(
                property,
                () -> Setting.expression(expressions.parse(text, withPrincipal), convert),
                Setting.fixed(placeholder));
    }

    private List<Value> by(String property, Map<String, Object> by, boolean withPrincipal, List<String> variables) {
        List<Value> all = new ArrayList<>();
        by.forEach((dimension, value) -> {
            problems.checked(property + "." + dimension, () -> Attributes.of(dimension, "any"), Attributes.none());
            List<RouteValue> parsed = new ArrayList<>();
            for (Object text : value instanceof Map<?, ?> list ? list.values() : List.of(value)) {
                problems.checked(
                                property + "." + dimension,
                                () -> Optional.of(values.parse(
                                        dimension, String.valueOf(text).strip(), withPrincipal, variables)),
                                Optional.<RouteValue>empty())
                        .ifPresent(parsed::add);
            }
            if (!parsed.isEmpty()) {
                all.add(new Value(dimension, RouteValue.firstOf(List.copyOf(parsed))));
            }
        });
        return List.copyOf(all);
    }
}
