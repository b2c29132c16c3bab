package io.headgate.redis.limits;

import io.headgate.limits.Attributes;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Of a request no more than who it is of, so that what is kept of it is bounded. */
final class OwnAttributes {

    private OwnAttributes() {}

    /** Its values of these dimensions; null when they have more letters together. */
    static @Nullable Attributes of(Attributes attributes, Collection<String> dimensions, int mostLetters) {
        Map<String, String> own = new HashMap<>(attributes.asMap());
        own.keySet().retainAll(dimensions);
        return own.values().stream().mapToInt(String::length).sum() > mostLetters ? null : Attributes.of(own);
    }
}
