package io.headgate.spring.web;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/** Parses the expressions of routes, and checks their beans and the properties of the request that they use. */
final class Expressions {

    private final SpelExpressionParser parser = new SpelExpressionParser();
    private final StandardEvaluationContext context = new StandardEvaluationContext();
    private final BeanFactory beans;
    private final UnaryOperator<Object> results;
    private boolean principal;

    Expressions(BeanFactory beans, UnaryOperator<Object> results) {
        this.beans = beans;
        this.results = results;
        context.setBeanResolver(new BeanFactoryResolver(beans));
        context.addPropertyAccessor(new RouteRequestAccessor());
    }

    /** Whether an expression that was parsed may use the principal. */
    boolean usesPrincipal() {
        return principal;
    }

    /** Whether a setting is marked as an expression. */
    static boolean isMarked(String text) {
        return text.startsWith("#{");
    }

    /**
     * Parses an expression, with or without its mark <code>#{…}</code>.
     *
     * @param withPrincipal whether the request may have a principal
     * @throws IllegalArgumentException if it is malformed, or uses an unknown bean or property of the request
     */
    Expression parse(String text, boolean withPrincipal) {
        String expression = text;
        if (isMarked(text)) {
            if (!text.endsWith("}")) {
                throw new IllegalArgumentException("must end with }, but was " + text);
            }
            expression = text.substring(2, text.length() - 1);
        }
        try {
            SpelExpression parsed = parser.parseRaw(expression);
            check(parsed.getAST(), true, true, withPrincipal);
            return new Expression(parsed, context, results);
        } catch (ParseException | IllegalStateException e) {
            throw new IllegalArgumentException("is not an expression: " + e.getMessage(), e);
        }
    }

    /**
     * Checks a part of an expression.
     *
     * @param onRequest whether the name of the part is one of the request, and not of the result of another part
     * @param inScope whether names in the arguments of the part are those of the request
     */
    private void check(@Nullable SpelNode node, boolean onRequest, boolean inScope, boolean withPrincipal) {
        if (node == null) {
            return;
        }
        // Also if it is a property of another object, as that may be the request.
        principal |= node instanceof PropertyOrFieldReference property
                && property.getName().equals(RouteRequestAccessor.PRINCIPAL);
        if (node instanceof BeanReference) {
            checkBean(node.toStringAST().substring(1).replace("'", ""));
        } else if (onRequest && node instanceof PropertyOrFieldReference property) {
            checkProperty(property.getName(), withPrincipal);
        } else if (onRequest && node instanceof MethodReference method) {
            throw new IllegalArgumentException(
                    "calls " + method.getName() + "(), which the request does not have; it has "
                            + RouteRequestAccessor.NAMES + ", and beans as @name");
        }
        // Names in brackets and in maps are texts, and those of a projection or selection are of its elements.
        boolean childrenInScope = inScope
                && !(node instanceof Indexer
                        || node instanceof InlineMap
                        || node instanceof Projection
                        || node instanceof Selection);
        for (int i = 0; i < node.getChildCount(); i++) {
            boolean ofResult = node instanceof CompoundExpression && i > 0;
            check(node.getChild(i), childrenInScope && !ofResult, childrenInScope, withPrincipal);
        }
    }

    private void checkBean(String name) {
        if (!beans.containsBean(name)) {
            throw new IllegalArgumentException("uses @" + name + ", but there is no bean of that name");
        }
    }

    private static void checkProperty(String name, boolean withPrincipal) {
        if (!RouteRequestAccessor.NAMES.contains(name)) {
            throw new IllegalArgumentException("uses " + name + ", which the request does not have; it has "
                    + RouteRequestAccessor.NAMES + ", and beans as @name");
        }
        if (!withPrincipal && name.equals(RouteRequestAccessor.PRINCIPAL)) {
            throw new IllegalArgumentException(
                    "uses principal, which is unknown before authentication; remove before-authentication");
        }
    }
}
