package io.headgate.spring;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.core.env.Environment;

/**
 * Adds to the names of properties in problems where they are set. A setting that is not set has the place of its route, which is that of
 * the first property of the route.
 */
final class PropertyOrigins {

    /** The property with which a problem begins, without its place. */
    private static final Pattern SUBJECT = Pattern.compile("^headgate\\.[^:(]+(?=: )");

    /** A route that a problem mentions. */
    private static final Pattern ROUTE =
            Pattern.compile("(?<=\\s)headgate\\.(?:web|outgoing)\\.routes\\[[0-9]+](?![.\\[]| \\()");

    private final List<ConfigurationPropertySource> sources = new ArrayList<>();

    PropertyOrigins(Environment environment) {
        ConfigurationPropertySources.get(environment).forEach(sources::add);
    }

    /** Returns a text of problems, one in each line, with the places of their properties. */
    String addTo(String problems) {
        return String.join(
                "\n",
                problems.lines()
                        .map(line -> added(SUBJECT, line))
                        .map(line -> added(ROUTE, line))
                        .toList());
    }

    private String added(Pattern names, String line) {
        return names.matcher(line)
                .replaceAll(found -> Matcher.quoteReplacement(found.group()
                        + of(found.group()).map(origin -> " (" + origin + ")").orElse("")));
    }

    private Optional<Origin> of(String name) {
        // Names of a problem may have characters that names of properties need in brackets.
        return ConfigurationPropertyName.isValid(name)
                ? of(ConfigurationPropertyName.of(name))
                : Optional.of(name.lastIndexOf('.')).filter(dot -> dot > 0).flatMap(dot -> of(name.substring(0, dot)));
    }

    private Optional<Origin> of(ConfigurationPropertyName name) {
        List<ConfigurationPropertySource> deciding = sources;
        int shortest = name.getNumberOfElements();
        for (int i = shortest - 1; i > 0; i--) {
            if (name.isNumericIndex(i)) {
                deciding = ofList(name.chop(i));
                shortest = i + 1;
            }
        }
        for (int length = name.getNumberOfElements(); length >= shortest; length--) {
            ConfigurationPropertyName part = name.chop(length);
            Optional<Origin> origin = deciding.stream()
                    .flatMap(source -> originOf(part, source).stream())
                    .findFirst();
            if (origin.isPresent()) {
                return origin;
            }
        }
        return Optional.empty();
    }

    /** Returns the source of a list, which is the first one that has an element. */
    private List<ConfigurationPropertySource> ofList(ConfigurationPropertyName list) {
        return sources.stream()
                .filter(source -> source.containsDescendantOf(list) == ConfigurationPropertyState.PRESENT)
                .limit(1)
                .toList();
    }

    private static Optional<Origin> originOf(ConfigurationPropertyName name, ConfigurationPropertySource source) {
        Stream<ConfigurationPropertyName> below = source instanceof IterableConfigurationPropertySource iterable
                ? iterable.stream().filter(name::isAncestorOf)
                : Stream.empty();
        return Stream.concat(Stream.of(name), below)
                .flatMap(found -> Stream.ofNullable(source.getConfigurationProperty(found)))
                .flatMap(property -> Stream.ofNullable(property.getOrigin()))
                .findFirst();
    }
}
