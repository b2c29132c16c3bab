package io.headgate.redis.limits.internal.calls;

import io.headgate.limits.Attributes;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reduces the attributes of a request to those that identify its counts, so that the stored attributes have a bounded size. */
public final class BoundedAttributes {

    private BoundedAttributes() {}

    /** Returns the attributes with the values of these dimensions; null if the values have more than {@code maxCharacters} in total. */
    public static @Nullable Attributes of(Attributes attributes, Collection<String> dimensions, int maxCharacters) {
        Map<String, String> bounded = new HashMap<>(attributes.asMap());
        bounded.keySet().retainAll(dimensions);
        return bounded.values().stream().mapToInt(String::length).sum() > maxCharacters ? null : Attributes.of(bounded);
    }
}
