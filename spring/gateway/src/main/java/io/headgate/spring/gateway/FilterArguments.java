package io.headgate.spring.gateway;

import io.headgate.config.ConfigException;
import io.headgate.spring.internal.Spelling;
import io.headgate.spring.web.WebProperties;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Reads the arguments of a filter {@code HeadgateRateLimit}, which a gateway passes with names such as {@code by.user.0}. */
final class FilterArguments {

    /** The name of the filter in YAML. */
    static final String FILTER = "HeadgateRateLimit";

    /** How a gateway begins the names of arguments without a name. */
    private static final String UNNAMED_PREFIX = "_genkey_";

    /** The argument of {@code HeadgateRateLimit=api}. */
    private static final String UNNAMED = UNNAMED_PREFIX + "0";

    private static final String PREFIX = "filter";
    private static final Pattern INDEX = Pattern.compile("\\.(\\d+)(?=\\.|$)");
    private static final List<String> NAMES =
            List.of("policy", "by", "permits", "skip", "absent", "refund-on", "status", "fields");

    private FilterArguments() {}

    /** Receives the filters of a gateway. */
    interface Visitor {

        /**
         * Receives a filter.
         *
         * @param name its name in problems and in the log
         * @param paths the patterns of the paths that its route matches; empty if it may match all paths
         */
        void visit(String name, Map<String, ?> arguments, List<String> paths);
    }

    /** Returns the name of the filter of a route in problems and in the log. */
    static String nameIn(String routeId) {
        return "route " + routeId + ": " + FILTER;
    }

    /**
     * Returns the settings of the arguments.
     *
     * @param name the name of the filter in problems
     * @throws ConfigException if an argument is unknown, or has a value of another type; it lists all of them
     */
    static WebProperties.Route read(String name, Map<String, ?> arguments) {
        List<String> problems = new ArrayList<>();
        Map<String, Object> properties = new LinkedHashMap<>();
        arguments.forEach((argument, value) -> {
            String known = argument.equals(UNNAMED) ? "policy" : argument;
            String first = known.split("[.\\[]", 2)[0];
            if (first.startsWith(UNNAMED_PREFIX)) {
                problems.add(name + ": has one argument without a name, the policy; write the others below args");
            } else if (!isOneOf(NAMES, first)) {
                problems.add(name + ": " + ArgumentBinder.unknown(first, NAMES));
            }
            properties.put(PREFIX + "." + INDEX.matcher(known).replaceAll("[$1]"), value);
        });
        WebProperties.Route route = ArgumentBinder.bind(name, PREFIX, properties, WebProperties.Route.class, problems);
        if (!problems.isEmpty()) {
            throw new ConfigException(problems);
        }
        return route;
    }

    /** Returns the settings of arguments of which some are maps, as a gateway on WebMVC passes them. */
    static WebProperties.Route readNested(String name, Map<?, ?> arguments) {
        Map<String, Object> flat = new LinkedHashMap<>();
        flatten("", arguments, flat);
        return read(name, flat);
    }

    private static void flatten(String prefix, Map<?, ?> nested, Map<String, Object> flat) {
        nested.forEach((name, value) -> {
            if (value instanceof Map<?, ?> map) {
                flatten(prefix + name + ".", map, flat);
            } else {
                flat.put(prefix + name, value);
            }
        });
    }

    /** Whether a name is one of these, in any spelling that Spring Boot accepts. */
    static boolean isOneOf(List<String> names, String name) {
        return names.stream().anyMatch(known -> Spelling.letters(known).equals(Spelling.letters(name)));
    }
}
