package io.headgate.spring.web.internal;

import io.headgate.spring.internal.expression.Expression;
import io.headgate.spring.internal.expression.ExpressionParser;
import io.headgate.spring.internal.expression.ExpressionScope;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.springframework.beans.factory.BeanFactory;

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

    private final ExpressionParser parser;
    private boolean principal;

    Expressions(BeanFactory beans, UnaryOperator<Object> results) {
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
}
