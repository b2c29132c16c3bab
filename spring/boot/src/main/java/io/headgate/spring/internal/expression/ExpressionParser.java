package io.headgate.spring.internal.expression;

import java.util.HashSet;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.ParseException;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/** Parses expressions, and checks the beans, properties and variables that they use. Not safe for use by several threads. */
public final class ExpressionParser {

    private final SpelExpressionParser parser = new SpelExpressionParser();
    private final StandardEvaluationContext context = new StandardEvaluationContext();
    private final BeanFactory beans;
    private final UnaryOperator<Object> results;

    /**
     * Creates a parser.
     *
     * @param beans the beans that expressions may use
     * @param results converts a result of another kind to a {@link java.util.concurrent.CompletionStage}, which is cancelled if it takes
     *     too long
     * @param accessors find the properties of objects whose names are not those of their methods
     */
    public ExpressionParser(BeanFactory beans, UnaryOperator<Object> results, PropertyAccessor... accessors) {
        this.beans = beans;
        this.results = results;
        context.setBeanResolver(new BeanFactoryResolver(beans));
        for (PropertyAccessor accessor : accessors) {
            context.addPropertyAccessor(accessor);
        }
    }

    /** Returns whether a setting is marked as an expression. */
    public static boolean isMarked(String text) {
        return text.startsWith("#{");
    }

    /**
     * Parses an expression, with or without its mark <code>#{…}</code>.
     *
     * @throws IllegalArgumentException if it is malformed, or uses an unknown bean, property or variable
     */
    public Expression parse(String text, ExpressionScope scope) {
        String expression = text;
        if (isMarked(text)) {
            if (!text.endsWith("}")) {
                throw new IllegalArgumentException("must end with }, but was " + text);
            }
            expression = text.substring(2, text.length() - 1);
        }
        try {
            SpelExpression parsed = parser.parseRaw(expression);
            Set<String> properties = new HashSet<>();
            check(parsed.getAST(), true, true, scope, properties);
            return new Expression(parsed, context, results, properties);
        } catch (ParseException | IllegalStateException e) {
            throw new IllegalArgumentException("is not an expression: " + e.getMessage(), e);
        }
    }

    /**
     * Checks a part of an expression.
     *
     * @param onRoot whether the name of the part is one of the root object, and not of the result of another part
     * @param inScope whether names in the arguments of the part are those of the root object
     * @param properties receives the names of all properties, also if they are of other objects, which may be the root object
     */
    private void check(
            @Nullable SpelNode node, boolean onRoot, boolean inScope, ExpressionScope scope, Set<String> properties) {
        if (node == null) {
            return;
        }
        if (node instanceof PropertyOrFieldReference property) {
            properties.add(property.getName());
        }
        if (node instanceof BeanReference) {
            checkBean(node.toStringAST().substring(1).replace("'", ""));
        } else if (node instanceof VariableReference) {
            checkVariable(node.toStringAST().substring(1), scope);
        } else if (onRoot && node instanceof PropertyOrFieldReference property) {
            checkProperty(property.getName(), scope);
        } else if (onRoot && node instanceof MethodReference method) {
            throw unknown("calls " + method.getName() + "()", scope);
        }
        // Names in brackets and in maps are texts, and those of a projection or selection are of its elements.
        boolean childrenInScope = inScope
                && !(node instanceof Indexer
                        || node instanceof InlineMap
                        || node instanceof Projection
                        || node instanceof Selection);
        for (int i = 0; i < node.getChildCount(); i++) {
            boolean ofResult = node instanceof CompoundExpression && i > 0;
            check(node.getChild(i), childrenInScope && !ofResult, childrenInScope, scope, properties);
        }
    }

    private void checkBean(String name) {
        if (!beans.containsBean(name)) {
            throw new IllegalArgumentException("uses @" + name + ", but there is no bean of that name");
        }
    }

    private static void checkVariable(String name, ExpressionScope scope) {
        if (!name.equals("root") && !name.equals("this") && !scope.variables().contains(name)) {
            throw unknown("uses #" + name, scope);
        }
    }

    private static void checkProperty(String name, ExpressionScope scope) {
        if (!scope.properties().contains(name)) {
            throw unknown("uses " + name, scope);
        }
        String reason = scope.unavailable().get(name);
        if (reason != null) {
            throw new IllegalArgumentException("uses " + name + ", which " + reason);
        }
    }

    private static IllegalArgumentException unknown(String use, ExpressionScope scope) {
        return new IllegalArgumentException(
                use + ", which " + scope.subject() + " does not have; it has " + scope.names());
    }
}
