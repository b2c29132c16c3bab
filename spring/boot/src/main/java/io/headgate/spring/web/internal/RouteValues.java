package io.headgate.spring.web.internal;

import io.headgate.http.attributes.AsyncValueResolver;
import io.headgate.http.attributes.ResolvedValue;
import io.headgate.http.attributes.ValueResolver;
import io.headgate.spring.internal.RequestValues;
import io.headgate.spring.internal.expression.Expression;
import io.headgate.spring.internal.expression.ExpressionParser;
import java.security.Principal;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.beans.factory.BeanFactory;

/** Parses the values of a route. */
final class RouteValues {

    private static final Pattern CALL = Pattern.compile("([a-z-]+)\\((.*)\\)", Pattern.DOTALL);
    /** The variables of a route whose patterns are unknown: any name is accepted. */
    static final List<String> ANY_VARIABLE = List.of("*");

    private static final String ALLOWED = "must be principal.name, client-address, header(…), query(…), cookie(…), "
            + "path-variable(…), path-pattern, path, method, fixed(…), @bean or #{expression}";

    private static final Map<String, Function<String, ValueResolver>> CALLS = Map.of(
            "header", ValueResolver::header,
            "query", ValueResolver::query,
            "cookie", ValueResolver::cookie,
            "fixed", ValueResolver::fixed);

    private static final ResolvedValue NO_USER = ResolvedValue.missing("authenticated user");
    private static final ResolvedValue NO_ADDRESS = ResolvedValue.missing("client address");

    private final BeanFactory beans;
    private final Expressions expressions;
    private final boolean ignoreCase;
    private boolean principal;

    /**
     * Creates a parser.
     *
     * @param ignoreCase whether the application ignores the case of paths
     */
    RouteValues(BeanFactory beans, Expressions expressions, boolean ignoreCase) {
        this.beans = beans;
        this.ignoreCase = ignoreCase;
        this.expressions = expressions;
    }

    /**
     * Parses a value.
     *
     * @param dimension the name of the dimension
     * @param withPrincipal whether the request may have a principal
     * @param variables the variables of the route's patterns
     * @throws IllegalArgumentException if it is malformed, or uses an unknown bean or variable
     */
    RouteValue parse(String dimension, String text, boolean withPrincipal, List<String> variables) {
        if (ExpressionParser.isMarked(text)) {
            return expression(dimension, expressions.parse(text, withPrincipal));
        }
        if (text.startsWith("@")) {
            return bean(dimension, text.substring(1));
        }
        return switch (text) {
            case "principal.name" -> principalName(dimension, withPrincipal);
            case "client-address" -> now(request -> request.clientAddress().orElse(""), NO_ADDRESS);
            case "path-pattern" -> now(RouteRequest::pathPattern, ResolvedValue.missing("path pattern"));
            case "path" -> now(request -> request.countedPath(ignoreCase), ResolvedValue.missing("path"));
            case "method" -> of(ValueResolver.method());
            default -> call(text, variables);
        };
    }

    private RouteValue principalName(String dimension, boolean withPrincipal) {
        if (!withPrincipal) {
            throw new IllegalArgumentException(
                    "is unknown before authentication; use another value, or remove before-authentication");
        }
        principal = true;
        // The name may come from code of the application.
        return guarded(
                dimension,
                now(request -> request.principal().map(Principal::getName).orElse(""), NO_USER));
    }

    /** Whether a value that was parsed may use the principal. */
    boolean usesPrincipal() {
        return principal || expressions.usesPrincipal();
    }

    private static RouteValue call(String text, List<String> variables) {
        Matcher call = CALL.matcher(text);
        if (!call.matches()) {
            throw new IllegalArgumentException(ALLOWED + ", but was " + text);
        }
        String argument = call.group(2).strip();
        if (argument.isEmpty()) {
            throw new IllegalArgumentException("must have a name in the parentheses, but was " + text);
        }
        if (call.group(1).equals("path-variable")) {
            if (!variables.equals(ANY_VARIABLE) && !variables.contains(argument)) {
                throw new IllegalArgumentException("uses the variable " + argument
                        + ", which no pattern of the route has; they have " + variables);
            }
            ResolvedValue missing = ResolvedValue.missing("variable " + argument + " of the path");
            return now(request -> request.pathVariables().getOrDefault(argument, ""), missing);
        }
        Function<String, ValueResolver> resolver = CALLS.get(call.group(1));
        if (resolver == null) {
            throw new IllegalArgumentException(ALLOWED + ", but was " + text);
        }
        return of(resolver.apply(argument));
    }

    private static RouteValue of(ValueResolver resolver) {
        return request -> CompletableFuture.completedFuture(resolver.resolve(request));
    }

    /** A value of the request; an empty text is the absent one. */
    private static RouteValue now(Function<RouteRequest, String> value, ResolvedValue absent) {
        return request -> {
            String found = value.apply(request);
            return CompletableFuture.completedFuture(found.isEmpty() ? absent : ResolvedValue.of("value", found));
        };
    }

    private RouteValue bean(String dimension, String name) {
        if (!beans.containsBean(name)) {
            throw new IllegalArgumentException("there is no bean " + name);
        }
        if (beans.isTypeMatch(name, ValueResolver.class)) {
            return guarded(
                    dimension,
                    request -> CompletableFuture.completedFuture(
                            beans.getBean(name, ValueResolver.class).resolve(request)));
        }
        if (beans.isTypeMatch(name, AsyncValueResolver.class)) {
            return guarded(
                    dimension,
                    request -> Expression.bounded(
                            beans.getBean(name, AsyncValueResolver.class).resolve(request)));
        }
        throw new IllegalArgumentException(
                "bean " + name + " must be a ValueResolver or an AsyncValueResolver, but is a " + beans.getType(name));
    }

    private static RouteValue expression(String dimension, Expression expression) {
        ResolvedValue missing = ResolvedValue.missing("value of " + dimension);
        return guarded(dimension, request -> request.evaluate(expression)
                .thenApply(result -> result.map(value -> value instanceof ResolvedValue resolved
                                ? resolved
                                : ResolvedValue.of("value of " + dimension, RequestValues.text(value)))
                        .orElse(missing)));
    }

    /** Turns a failure of the application's own code into an absent value, and logs it. */
    private static RouteValue guarded(String dimension, RouteValue value) {
        return request -> {
            CompletableFuture<ResolvedValue> future;
            try {
                future = value.resolve(request);
            } catch (RuntimeException e) {
                future = CompletableFuture.failedFuture(e);
            }
            return future.handle((found, failure) -> {
                if (found != null) {
                    return found;
                }
                Throwable why = failure == null ? new NullPointerException("the resolver returned null") : failure;
                request.failures().failed(".by." + dimension, "the value is absent", why);
                return RouteValue.FAILED;
            });
        };
    }
}
