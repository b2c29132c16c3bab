package io.headgate.spring.web.internal;

import io.headgate.http.attributes.RequestView;
import io.headgate.spring.internal.expression.Expression;
import io.headgate.spring.internal.expression.ExpressionParser;
import io.headgate.spring.internal.expression.ExpressionScope;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.ResolvableType;

/** Parses the expressions of routes, and notes whether one of them uses the principal. Not safe for use by several threads. */
final class Expressions {

    private static final String SUBJECT = "the request";
    private static final ExpressionScope AFTER_AUTHENTICATION =
            new ExpressionScope(SUBJECT, RouteRequestAccessor.NAMES, List.of(), Map.of());
    private static final ExpressionScope BEFORE_AUTHENTICATION = new ExpressionScope(
            SUBJECT,
            RouteRequestAccessor.NAMES,
            List.of(),
            Map.of(RouteRequestAccessor.PRINCIPAL, "is unknown before authentication; remove before-authentication"));

    private static final Pattern BEAN = Pattern.compile("@(\\w+)");
    private static final ResolvableType PREDICATE =
            ResolvableType.forClassWithGenerics(Predicate.class, RequestView.class);

    private final BeanFactory beans;
    private final ExpressionParser parser;
    private boolean principal;

    Expressions(BeanFactory beans, UnaryOperator<Object> results) {
        this.beans = beans;
        this.parser = new ExpressionParser(beans, results, new RouteRequestAccessor());
    }

    /** Whether an expression that was parsed may use the principal. */
    boolean usesPrincipal() {
        return principal;
    }

    /**
     * Parses an expression, with or without its mark <code>#{…}</code>.
     *
     * @param withPrincipal whether the request may have a principal
     * @throws IllegalArgumentException if it is malformed, or uses an unknown bean or property of the request
     */
    Expression parse(String text, boolean withPrincipal) {
        Expression parsed = parser.parse(text, withPrincipal ? AFTER_AUTHENTICATION : BEFORE_AUTHENTICATION);
        principal |= parsed.properties().contains(RouteRequestAccessor.PRINCIPAL);
        return parsed;
    }

    /**
     * Parses a condition: an expression that is true or false, or the name of a {@link Predicate} as {@code @bean}.
     *
     * @param withPrincipal whether the request may have a principal
     * @throws IllegalArgumentException if it is malformed, or uses an unknown bean or property of the request
     */
    Predicate<RouteRequest> condition(String text, boolean withPrincipal) {
        Matcher bean = BEAN.matcher(text);
        if (bean.matches() && beans.containsBean(bean.group(1))) {
            String name = bean.group(1);
            if (beans.isTypeMatch(name, PREDICATE)) {
                return request -> test(beans.getBean(name), request);
            }
            if (beans.isTypeMatch(name, Predicate.class)) {
                throw new IllegalArgumentException("bean " + name + " must be a Predicate<RequestView>, but is a "
                        + beans.getType(name) + "; declare its type");
            }
        }
        return parse(text, withPrincipal)::test;
    }

    @SuppressWarnings("unchecked") // The type of the bean was checked.
    private static boolean test(Object bean, RequestView request) {
        return ((Predicate<RequestView>) bean).test(request);
    }
}
