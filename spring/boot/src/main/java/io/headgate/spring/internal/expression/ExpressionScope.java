package io.headgate.spring.internal.expression;

import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * The names that an expression may use.
 *
 * @param subject what has these names, for example {@code the request}
 * @param properties the properties of the root object
 * @param variables the variables, without their mark {@code #}
 * @param unavailable properties that the expression may not use although they exist, each with the reason and what to change
 */
public record ExpressionScope(
        String subject, Collection<String> properties, Collection<String> variables, Map<String, String> unavailable) {

    /** Copies the names. */
    public ExpressionScope {
        properties = List.copyOf(properties);
        variables = List.copyOf(variables);
        unavailable = Map.copyOf(unavailable);
    }

    /** The names as a text for error messages. */
    String names() {
        List<String> marked = variables.stream().map(name -> "#" + name).toList();
        return (variables.isEmpty() ? "" : marked + ", ") + properties + ", and beans as @name";
    }
}
