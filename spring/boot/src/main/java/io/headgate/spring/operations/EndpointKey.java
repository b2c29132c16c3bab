package io.headgate.spring.operations;

import io.headgate.limits.Attributes;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The key that an operator names, such as {@code user=alice&ip=192.0.2.1}: names and values in the encoding of forms, so that they may have
 * any character.
 */
final class EndpointKey {

    private EndpointKey() {}

    /**
     * Reads a key.
     *
     * @param text the key; null for a policy without dimensions
     * @param dimensions the names that must have a value
     * @param optional further names that may have one
     * @throws IllegalArgumentException if the text is malformed, lacks a dimension, or has a name that the policy does not have
     */
    static Attributes read(@Nullable String text, Collection<String> dimensions, Set<String> optional) {
        Map<String, String> values = new LinkedHashMap<>();
        if (text != null && !text.isEmpty()) {
            for (String pair : text.split("&", -1)) {
                int equals = pair.indexOf('=');
                if (equals < 1) {
                    throw new IllegalArgumentException(
                            "key must be name=value pairs that are joined by &, such as user=alice, but one pair is "
                                    + (pair.isEmpty() ? "empty" : pair));
                }
                String name = decoded(pair.substring(0, equals));
                if (values.putIfAbsent(name, decoded(pair.substring(equals + 1))) != null) {
                    throw new IllegalArgumentException("key has " + name + " twice");
                }
            }
        }
        requireNames(values, dimensions, optional);
        return Attributes.of(values);
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    private static void requireNames(Map<String, String> values, Collection<String> dimensions, Set<String> optional) {
        for (String name : values.keySet()) {
            if (!dimensions.contains(name) && !optional.contains(name)) {
                throw new IllegalArgumentException("key has " + name + ", but it must have " + required(dimensions));
            }
        }
        List<String> missing = dimensions.stream()
                .filter(dimension -> values.getOrDefault(dimension, "").isEmpty())
                .toList();
        if (!missing.isEmpty()) {
            throw new IllegalArgumentException(
                    "key lacks " + String.join(", ", missing) + "; it must have " + required(dimensions));
        }
    }

    private static String required(Collection<String> dimensions) {
        return dimensions.isEmpty() ? "no names" : "a value of " + String.join(", ", dimensions);
    }
}
