package io.headgate.spring;

import io.headgate.config.ConfigException;
import io.headgate.config.internal.yaml.NearMiss;
import io.headgate.config.internal.yaml.Problems;
import io.headgate.config.internal.yaml.Where;
import io.headgate.config.internal.yaml.Yaml;
import io.headgate.spring.internal.PropertyValues;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Checks properties before Spring Boot binds them to records, so that one start reports all problems, each with the place where the
 * property is set. Properties are found as Spring Boot finds them: the first source with a value decides, and a list is that of the first
 * source that has one.
 *
 * <p>Unknown names in environment variables and system properties are no problem, as other programs may set them.
 */
final class PropertyCheck {

    private static final Pattern INDEX = Pattern.compile("[0-9]{1,9}");

    private static final List<ConfigurationPropertyName> ROOTS = Stream.of(
                    HeadgateProperties.PREFIX, HeadgateProperties.ENDPOINT)
            .map(ConfigurationPropertyName::of)
            .toList();

    private final List<ConfigurationPropertySource> all = new ArrayList<>();

    /** The names of Headgate in each source, as a source may have many others. */
    private final IdentityHashMap<ConfigurationPropertySource, List<ConfigurationPropertyName>> names =
            new IdentityHashMap<>();

    private final PropertySourcesPlaceholdersResolver placeholders;
    private final boolean checkValues;
    private final Problems problems = new Problems("");

    /**
     * Creates a check.
     *
     * @param checkValues whether Spring Boot converts values without converters of the application
     */
    PropertyCheck(ConfigurableEnvironment environment, boolean checkValues) {
        this.checkValues = checkValues;
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            all.add(source);
            if (source instanceof IterableConfigurationPropertySource iterable) {
                names.put(
                        source,
                        iterable.stream()
                                .filter(name -> ROOTS.stream().anyMatch(root -> root.isAncestorOf(name)))
                                .toList());
            }
        }
        placeholders = new PropertySourcesPlaceholdersResolver(environment);
    }

    /**
     * Checks the properties below a prefix.
     *
     * @param type the record to which they are bound
     * @param others further names that are allowed directly below the prefix, and not checked
     */
    void check(String prefix, Class<?> type, List<String> others) {
        record(ConfigurationPropertyName.of(prefix), type, others, all);
    }

    /**
     * Fails if there are problems.
     *
     * @throws ConfigException lists the first 20
     */
    void failIfAny() {
        problems.throwIfAny();
    }

    private void value(ConfigurationPropertyName name, ResolvableType type, List<ConfigurationPropertySource> sources) {
        Class<?> raw = type.resolve(Object.class);
        if (raw.isRecord()) {
            record(name, raw, List.of(), sources);
            wrongIfText(name, sources, "a mapping with " + String.join(", ", names(raw)));
        } else if (Collection.class.isAssignableFrom(raw)) {
            list(name, type.getGeneric(0), sources);
        } else if (Map.class.isAssignableFrom(raw)) {
            map(name, type.getGeneric(1), sources);
        } else {
            single(name, raw, sources);
        }
    }

    private void record(
            ConfigurationPropertyName name,
            Class<?> type,
            List<String> others,
            List<ConfigurationPropertySource> sources) {
        List<String> settings = names(type);
        for (int i = 0; i < settings.size(); i++) {
            value(
                    name.append(settings.get(i)),
                    ResolvableType.forConstructorParameter(type.getDeclaredConstructors()[0], i),
                    sources);
        }
        List<String> allowed = new ArrayList<>(others);
        allowed.addAll(settings);
        allowed.sort(null);
        sources.stream().filter(PropertyCheck::isOfApplication).forEach(source -> children(name, source)
                .forEach((child, property) -> {
                    if (allowed.stream().noneMatch(key -> name.append(key).equals(child))) {
                        String key = child.getLastElement(Form.ORIGINAL);
                        problems.add(
                                where(child, property),
                                "unknown property" + NearMiss.hint(NearMiss.of(key, allowed), allowed));
                    }
                }));
    }

    /** A native image has the constructors, by which Spring Boot binds, but not the components of records. */
    private static List<String> names(Class<?> type) {
        return Stream.of(type.getDeclaredConstructors()[0].getParameters())
                .map(component ->
                        component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT))
                .toList();
    }

    private void list(ConfigurationPropertyName name, ResolvableType type, List<ConfigurationPropertySource> sources) {
        for (ConfigurationPropertySource source : sources) {
            ConfigurationProperty text = source.getConfigurationProperty(name);
            if (text != null) {
                items(text, type.resolve(Object.class));
                return;
            }
            SortedMap<Integer, Item> items = new TreeMap<>();
            children(name, source).forEach((child, property) -> {
                String key = child.getLastElement(Form.ORIGINAL);
                if (INDEX.matcher(key).matches()) {
                    items.put(Integer.valueOf(key), new Item(name.append("[" + key + "]"), property));
                } else if (isOfApplication(source)) {
                    problems.add(
                            where(child, property),
                            "is not in a list; begin each entry of " + name + " with a hyphen, or name it " + name
                                    + "[0]");
                }
            });
            if (!items.isEmpty()) {
                items(name, items, type, source);
                return;
            }
        }
    }

    /** The name of an item of a list, and its first property. */
    private record Item(ConfigurationPropertyName name, ConfigurationProperty first) {}

    /** Checks the items of a list, of which a source must have all: it cannot replace some items of the list of another source. */
    private void items(
            ConfigurationPropertyName name,
            SortedMap<Integer, Item> items,
            ResolvableType type,
            ConfigurationPropertySource source) {
        int expected = 0;
        for (Map.Entry<Integer, Item> entry : items.entrySet()) {
            Item item = entry.getValue();
            if (entry.getKey() != expected) {
                problems.add(
                        where(item.name(), item.first()),
                        "is set without " + name + "[" + expected
                                + "]; a source that sets a part of a list must set all of it");
                return;
            }
            expected++;
            value(item.name(), type, List.of(source));
        }
    }

    private void map(ConfigurationPropertyName name, ResolvableType type, List<ConfigurationPropertySource> sources) {
        if (type.resolve(Object.class).isRecord()) {
            sources.stream()
                    .flatMap(source -> children(name, source).keySet().stream())
                    .distinct()
                    .forEach(child -> value(child, type, sources));
        }
        wrongIfText(name, sources, "a mapping");
    }

    private void single(ConfigurationPropertyName name, Class<?> type, List<ConfigurationPropertySource> sources) {
        sources.stream()
                .filter(PropertyCheck::isOfApplication)
                .forEach(source -> children(name, source).entrySet().stream()
                        .limit(1)
                        .forEach(child -> problems.add(
                                where(name, child.getValue()),
                                "must be a single value, was a "
                                        + (child.getKey().isLastElementIndexed() ? "list" : "mapping"))));
        find(name, sources).ifPresent(property -> text(property)
                .ifPresent(
                        text -> convert(property, text, placeholders.resolvePlaceholders(property.getValue()), type)));
    }

    /** Checks a list that is written as one text. */
    private void items(ConfigurationProperty property, Class<?> type) {
        text(property).filter(text -> !text.isBlank()).ifPresent(text -> {
            if (type.isRecord()) {
                wrong(property, text, "a list of mappings");
            } else {
                Stream.of(text.split(",")).map(String::strip).forEach(item -> convert(property, item, item, type));
            }
        });
    }

    /** Checks a value, unless it has a placeholder for which only a bean of the application has a value. */
    private void convert(ConfigurationProperty property, String text, @Nullable Object value, Class<?> type) {
        String expected = PropertyValues.expected(type);
        // An item of a list must be a value, for which Spring Boot does not take an empty text.
        boolean missing = text.isEmpty() && property.getName().isLastElementIndexed();
        if (checkValues
                && !expected.isEmpty()
                && !text.contains("${")
                && (missing || !PropertyValues.isConvertible(value, type))) {
            wrong(property, text, expected);
        }
    }

    /** Reports a text in place of properties below a name. Spring Boot ignores a text beside them. */
    private void wrongIfText(
            ConfigurationPropertyName name, List<ConfigurationPropertySource> sources, String expected) {
        if (sources.stream().allMatch(source -> children(name, source).isEmpty())) {
            find(name, sources).ifPresent(property -> text(property)
                    .filter(text -> !text.isEmpty() || !PropertyValues.emptyIsMapping())
                    .ifPresent(text -> wrong(property, text, expected)));
        }
    }

    private void wrong(ConfigurationProperty property, String text, String expected) {
        Where where = where(property.getName(), property);
        problems.wrong(text.isBlank() ? new Yaml.Empty(where) : new Yaml.Scalar(where, text), expected);
    }

    private static Optional<ConfigurationProperty> find(
            ConfigurationPropertyName name, List<ConfigurationPropertySource> sources) {
        return sources.stream()
                .flatMap(source -> Stream.ofNullable(source.getConfigurationProperty(name)))
                .findFirst();
    }

    /** Returns the text of a property; empty if the source has an object that is no text. */
    private Optional<String> text(ConfigurationProperty property) {
        Object value = placeholders.resolvePlaceholders(property.getValue());
        return value instanceof CharSequence || value instanceof Number || value instanceof Boolean
                ? Optional.of(value.toString())
                : Optional.empty();
    }

    /** The names directly below a name in their order, each with its first property. */
    private Map<ConfigurationPropertyName, ConfigurationProperty> children(
            ConfigurationPropertyName name, ConfigurationPropertySource source) {
        Map<ConfigurationPropertyName, ConfigurationProperty> children = new LinkedHashMap<>();
        for (ConfigurationPropertyName found : names.getOrDefault(source, List.of())) {
            ConfigurationProperty property = name.isAncestorOf(found) ? source.getConfigurationProperty(found) : null;
            if (property != null) {
                children.putIfAbsent(found.chop(name.getNumberOfElements() + 1), property);
            }
        }
        return children;
    }

    /** Whether only the author of the application sets properties in a source. */
    private static boolean isOfApplication(ConfigurationPropertySource source) {
        return !(source.getUnderlyingSource() instanceof PropertySource<?> given
                && (given.getName().equals(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME)
                        || given.getName().equals(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME)));
    }

    private static Where where(ConfigurationPropertyName name, ConfigurationProperty property) {
        Origin origin = property.getOrigin();
        return Where.ofProperty(name.toString(), origin == null ? "" : origin.toString());
    }
}
