package io.headgate.config;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A node of a configuration that another library has parsed, for example the properties of Spring. {@link PolicyFile#read(Mapping)}
 * reads policies from it. Immutable.
 *
 * <pre>{@code
 * ConfigNode.Mapping limit = new ConfigNode.Mapping("limits.window", Map.of(
 *         "permits", new ConfigNode.Text("limits.window.permits (limits.ini:7)", "100"),
 *         "window", new ConfigNode.Text("limits.window.window (limits.ini:8)", "1m")));
 * }</pre>
 */
public sealed interface ConfigNode {

    /**
     * Returns the text with which errors about this node begin: the path of its keys, and the place where it is set. Control characters
     * are escaped in errors, and only the first 320 characters are shown.
     */
    String position();

    /** A single value, such as a number or a duration. An empty text is an empty value, which is an error. */
    record Text(String position, String text) implements ConfigNode {}

    /** A list. */
    record Items(String position, List<ConfigNode> items) implements ConfigNode {

        /** Copies the list. */
        public Items {
            items = List.copyOf(items);
        }
    }

    /** A mapping of keys to nodes, in the order of their source. */
    record Mapping(String position, Map<String, ConfigNode> entries) implements ConfigNode {

        /** Copies the map. */
        public Mapping {
            entries = Collections.unmodifiableMap(new LinkedHashMap<>(entries));
        }
    }
}
