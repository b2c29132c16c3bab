package io.headgate.config;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A node of a configuration that another library has parsed, for example the properties of Spring. {@link
 * PolicyFile#read(Mapping, String)} reads policies from it. Immutable.
 *
 * <pre>{@code
 * ConfigNode.Mapping limit = new ConfigNode.Mapping("limits.ini:6", Map.of(
 *         "permits", new ConfigNode.Text("limits.ini:7", "100"),
 *         "window", new ConfigNode.Text("limits.ini:8", "1m")));
 * }</pre>
 */
public sealed interface ConfigNode {

    /**
     * Returns where this node is set, for errors; may be empty. In errors, control characters are escaped, and only the first 320
     * characters are shown.
     */
    String origin();

    /** A single value, such as a number or a duration. An empty text is an empty value, which is an error. */
    record Text(String origin, String text) implements ConfigNode {}

    /** A list. */
    record Items(String origin, List<ConfigNode> items) implements ConfigNode {

        /** Copies the list. */
        public Items {
            items = List.copyOf(items);
        }
    }

    /** A mapping of keys to nodes, in the order of their source. */
    record Mapping(String origin, Map<String, ConfigNode> entries) implements ConfigNode {

        /** Copies the map. */
        public Mapping {
            entries = Collections.unmodifiableMap(new LinkedHashMap<>(entries));
        }
    }
}
