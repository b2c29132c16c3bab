package io.headgate.spring;

import io.headgate.config.ConfigNode;
import io.headgate.spring.internal.Spelling;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/**
 * Properties of several sources below one name, as a tree. Sources are added in the order of their precedence, the lowest one first. A
 * later source replaces values and whole lists, and is merged into mappings. Keys keep their spelling and order.
 *
 * <p>Environment variables have neither hyphens nor capital letters. So a key with the same letters and digits as a key of an earlier
 * source is that key.
 */
final class PropertyTree {

    private static final String UNSET = "";

    private final Map<String, PropertyTree> children = new LinkedHashMap<>();
    private int source;
    private boolean list;
    private String text = UNSET;
    private String origin = "";

    /** Creates an empty tree. */
    PropertyTree() {
        this(0);
    }

    private PropertyTree(int source) {
        this.source = source;
    }

    /**
     * Adds a property below this tree.
     *
     * @param depth the number of elements of the name that lead to this tree
     * @param from the number of the source of the property
     * @param where where the property is set, for errors
     */
    void add(ConfigurationPropertyName name, int depth, String value, int from, String where) {
        if (depth == name.getNumberOfElements()) {
            children.clear();
            text = value;
            origin = where;
            return;
        }
        boolean index = name.isNumericIndex(depth);
        if (list != index || (list && source != from)) {
            children.clear();
        }
        list = index;
        source = from;
        text = UNSET;
        child(name, depth, from).add(name, depth + 1, value, from, where);
    }

    /** Whether the tree has the key of a property, in any spelling. */
    boolean has(ConfigurationPropertyName name, int depth) {
        String key = Spelling.letters(name.getElement(depth, Form.ORIGINAL));
        return children.entrySet().stream()
                .anyMatch(child -> Spelling.letters(child.getKey()).equals(key)
                        && !child.getValue().isEmpty());
    }

    private PropertyTree child(ConfigurationPropertyName name, int depth, int from) {
        String key = name.getElement(depth, Form.ORIGINAL);
        PropertyTree same = children.get(key);
        if (same != null) {
            return same;
        }
        return children.entrySet().stream()
                .filter(other -> other.getValue().source != from
                        && Spelling.letters(other.getKey()).equals(Spelling.letters(key)))
                .findFirst()
                .map(Map.Entry::getValue)
                .orElseGet(() -> children.computeIfAbsent(key, added -> new PropertyTree(from)));
    }

    /** Whether the tree has no property. */
    boolean isEmpty() {
        return children.isEmpty();
    }

    /** Returns this tree as a mapping, also if it is a list, because it is expected to be a mapping. */
    ConfigNode.Mapping mapping() {
        Map<String, ConfigNode> entries = new LinkedHashMap<>();
        children.forEach((key, child) -> entries.put(key, child.node()));
        return new ConfigNode.Mapping(origin(), entries);
    }

    private ConfigNode node() {
        if (children.isEmpty()) {
            return new ConfigNode.Text(origin(), text);
        }
        return list
                ? new ConfigNode.Items(
                        origin(),
                        children.values().stream().map(PropertyTree::node).toList())
                : mapping();
    }

    /** Returns where the property, or the first one below, is set. */
    private String origin() {
        return children.isEmpty() ? origin : children.values().iterator().next().origin();
    }
}
