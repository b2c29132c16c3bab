package io.headgate.spring.gateway;

import io.headgate.spring.internal.PropertyValues;
import io.headgate.spring.internal.Spelling;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.core.NestedExceptionUtils;

/** Binds the arguments of a filter, and finds all of their problems, each with the value and what is allowed. */
final class ArgumentBinder implements BindHandler {

    private final String name;
    private final ConfigurationPropertyName prefix;
    private final List<String> problems;

    private ArgumentBinder(String name, ConfigurationPropertyName prefix, List<String> problems) {
        this.name = name;
        this.prefix = prefix;
        this.problems = problems;
    }

    /**
     * Returns the settings of arguments. An argument with a problem has its default.
     *
     * @param name the name of the filter in problems
     * @param prefix the prefix of the arguments
     * @param problems the problems with the arguments are added to it
     */
    static <T> T bind(String name, String prefix, Map<String, ?> arguments, Class<T> type, List<String> problems) {
        ArgumentBinder binder = new ArgumentBinder(name, ConfigurationPropertyName.of(prefix), problems);
        return new Binder(new MapConfigurationPropertySource(arguments))
                .bindOrCreate(prefix, Bindable.of(type), binder);
    }

    /** Returns the end of a problem with an unknown argument. */
    static String unknown(String argument, List<String> allowed) {
        return "has no argument " + argument + Spelling.hint(argument, allowed);
    }

    /** Returns the problem that prevents arguments from being bound. */
    static String problem(String name, String prefix, BindException e) {
        return new ArgumentBinder(name, ConfigurationPropertyName.of(prefix), List.of())
                .problem(e.getName(), e.getTarget(), e.getProperty(), e);
    }

    @Override
    public @Nullable Object onFailure(
            ConfigurationPropertyName argument, Bindable<?> target, BindContext context, Exception error) {
        problems.add(problem(argument, target, context.getConfigurationProperty(), error));
        return null;
    }

    private String problem(
            ConfigurationPropertyName argument,
            Bindable<?> target,
            @Nullable ConfigurationProperty property,
            Exception error) {
        String setting = prefix.equals(argument)
                ? name
                : name + argument.toString().substring(prefix.toString().length());
        Class<?> type = target.getType().resolve(Object.class);
        String expected = PropertyValues.expected(type);
        if (expected.isEmpty() || property == null) {
            return setting + ": "
                    + NestedExceptionUtils.getMostSpecificCause(error).getMessage();
        }
        String value = String.valueOf(property.getValue());
        return setting + ": must be " + expected + ", was " + (value.isBlank() ? "empty" : value)
                + Spelling.nearest(value, PropertyValues.choices(type))
                        .map(near -> "; did you mean " + near + "?")
                        .orElse("");
    }
}
