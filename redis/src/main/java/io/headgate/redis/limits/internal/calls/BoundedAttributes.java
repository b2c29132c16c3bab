package io.headgate.redis.limits.internal.calls;

import io.headgate.limits.Attributes;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reduces the attributes of a request to those that identify its counts, so that what is kept of a request is bounded. */
public final class BoundedAttributes {

    private BoundedAttributes() {}

    /** The values of these dimensions; null when they have more characters together. */
    public static @Nullable Attributes of(Attributes attributes, Collection<String> dimensions, int maxCharacters) {
        Map<String, String> bounded = new HashMap<>(attributes.asMap());
        bounded.keySet().retainAll(dimensions);
        return bounded.values().stream().mapToInt(String::length).sum() > maxCharacters ? null : Attributes.of(bounded);
    }
}
